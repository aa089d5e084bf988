import { CopyAllowance, MAX_COPIED_ENTRIES } from './copy-allowance';

it('one request has a maximum of copied entries, in any number of folders', () => {
  const allowance = new CopyAllowance();
  allowance.take(MAX_COPIED_ENTRIES - 1);
  allowance.take(1);
  expect(() => allowance.take(1)).toThrow('20000 entries');
});

import { CopyAllowance, MAX_COPIED_ENTRIES } from './copy-allowance';

it('one request copies so many entries, in however many folders they lie', () => {
  const allowance = new CopyAllowance();
  allowance.take(MAX_COPIED_ENTRIES - 1);
  allowance.take(1);
  expect(() => allowance.take(1)).toThrow('20000 entries');
});

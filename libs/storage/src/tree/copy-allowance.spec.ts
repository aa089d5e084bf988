import { CopyAllowance, MAX_COPIED_ENTRIES } from './copy-allowance';

it('one request has a maximum of copied entries, in any number of folders', () => {
  const allowance = new CopyAllowance('copy');
  allowance.take(MAX_COPIED_ENTRIES - 1);
  allowance.take(1);
  expect(() => allowance.take(1)).toThrow('20000 entries');
});

it('says for which purpose entries were copied, as the user did not ask for a copy', () => {
  const allowance = new CopyAllowance('move out of a share');
  expect(() => allowance.take(MAX_COPIED_ENTRIES + 1)).toThrow(
    /move 20000 entries out of a share at most.*stays with the owner/,
  );
});

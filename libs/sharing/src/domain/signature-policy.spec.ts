import { policyFrom } from './policy';
import type { SignatureDemand } from './signature-demand';
import { demandsSignature } from './signature-policy';

const SETTING = 'federatedfilesharing/incoming_signatures';
const demands = (
  setting: string | undefined,
  said: SignatureDemand | null,
  isKnownSigner: boolean,
): boolean => demandsSignature(policyFrom(new Map(setting ? [[SETTING, setting]] : [])), said, isKnownSigner);

describe('the demand of a signature', () => {
  it.each<[string | undefined, SignatureDemand | null, boolean, boolean]>([
    // Columns: the setting, the decision for the partner, an unknown signer, a known signer.
    [undefined, null, false, true],
    ['known', null, false, true],
    ['required', null, true, true],
    ['checked', null, false, false],
    ['required', 'known', false, true],
    ['required', 'checked', false, false],
    ['checked', 'required', true, true],
    ['checked', 'known', false, true],
  ])(
    'setting %s, partner %s: required from a stranger %p, from a known signer %p',
    (setting, said, stranger, signer) => {
      expect([demands(setting, said, false), demands(setting, said, true)]).toEqual([stranger, signer]);
    },
  );
});

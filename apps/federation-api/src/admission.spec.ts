import { FederationRefused, SecretText, type FederationRefusal } from '#federation/protocol';
import { AuditRepository } from '#persistence';
import { Admission } from './admission';

const ADDRESS = '192.0.2.7';
const MESSAGE = { providerId: '7', sharedSecret: new SecretText('secret') };
let failures: string[];

/** @param isProven whether secrets of messages belong to their shares */
function admission(isProven: boolean): Admission {
  failures = [];
  const limits = {
    unprovenCall: () => Promise.resolve(),
    message: () => Promise.resolve(isProven),
    failed: (address: string) => Promise.resolve(void failures.push(address)),
  };
  const policy = { peek: () => ({ maintenance: false }) };
  const secrets = { lookup: () => Buffer.alloc(32) };
  const audit = new AuditRepository({ rows: () => Promise.resolve([]) });
  return new Admission(audit, policy as never, limits as never, secrets as never);
}

const refusing = (refusal: FederationRefusal) => () => Promise.reject(new FederationRefused(refusal));

describe('a refusal', () => {
  it.each<[FederationRefusal, boolean]>([
    ['secret-wrong', true],
    ['signature-wrong', true],
    ['signature-missing', true],
    ['key-unavailable', true],
    ['permission-refused', false],
    ['temporarily-unavailable', false],
  ])('of an unproven message for %s is a failure of its address: %p', async (refusal, counts) => {
    await expect(admission(false).hear(ADDRESS, refusing(refusal))).rejects.toThrow(refusal);
    expect(failures).toEqual(counts ? [ADDRESS] : []);
  });

  it.each<[FederationRefusal, boolean]>([
    ['signature-wrong', true],
    ['signature-missing', true],
    ['key-unavailable', false],
    ['share-unknown', false],
  ])('of a message with the right secret for %s is a failure of its address: %p', async (refusal, counts) => {
    const heard = admission(true).admitAboutShare(ADDRESS, () => MESSAGE, refusing(refusal));
    await expect(heard).rejects.toThrow(refusal);
    expect(failures).toEqual(counts ? [ADDRESS] : []);
  });
});

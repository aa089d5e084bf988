import { randomBytes } from 'node:crypto';
import { SecretBox } from '../secrets/secret-box';
import { answerSeenClient, askForSeenClient, readSeenClient } from './seen-client';

const key = randomBytes(32);
const secrets = new SecretBox(() => key);
const stranger = new SecretBox(() => randomBytes(32));
const ip = '10.9.9.9';

describe('the question for the client address that a process sees', () => {
  it('is answered with the used address, and the hops before it', () => {
    const headers = { ...askForSeenClient(secrets), 'x-forwarded-for': '203.0.113.7, 10.9.9.9' };
    expect(readSeenClient(answerSeenClient({ headers, ip }, secrets))).toEqual({
      address: ip,
      hops: ['203.0.113.7', '10.9.9.9'],
      claimed: [],
    });
    const claiming = { ...headers, 'x-claimed-forwarded-for': '203.0.113.8' };
    expect(readSeenClient(answerSeenClient({ headers: claiming, ip }, secrets))).toMatchObject({
      claimed: ['203.0.113.8'],
    });
    const direct = answerSeenClient({ headers: askForSeenClient(secrets), ip }, secrets);
    expect(readSeenClient(direct)).toEqual({ address: ip, hops: [], claimed: [] });
  });

  it('gets no answer without the key or too late, and no other request gets one', () => {
    const late = Date.now() + 61_000;
    expect(answerSeenClient({ headers: askForSeenClient(stranger), ip }, secrets)).toEqual({});
    expect(answerSeenClient({ headers: askForSeenClient(secrets), ip }, secrets, late)).toEqual({});
    const sealedForStorage = secrets.seal(String(Date.now())).toString('base64url');
    for (const question of ['', 'AAAA', '0', sealedForStorage, 'x'.repeat(1000)])
      expect(answerSeenClient({ headers: { 'x-drawbridge-seen-client': question }, ip }, secrets)).toEqual(
        {},
      );
    expect(answerSeenClient({ headers: {}, ip }, secrets)).toEqual({});
    expect(readSeenClient({})).toBeUndefined();
  });
});

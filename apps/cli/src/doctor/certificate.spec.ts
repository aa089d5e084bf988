import { judgeCertificate } from './certificate';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const until = (valid_to: string, objection?: string) =>
  judgeCertificate({ certificate: { valid_to, issuer: { O: 'Authority' } }, objection }, NOW);

it('accepts a trusted certificate that does not end soon', () => {
  expect(until('Mar  1 00:00:00 2030 GMT')).toEqual([
    { subject: 'validity', state: 'ok', seen: 'by Authority, 59 days left' },
  ]);
});

it('warns before a certificate ends, and fails for one that is not trusted', () => {
  expect(until('Jan 15 00:00:00 2030 GMT')).toMatchObject([
    { state: 'warning', seen: 'by Authority, 14 days left' },
  ]);
  expect(until('Dec 15 00:00:00 2029 GMT', 'CERT_HAS_EXPIRED')).toMatchObject([
    { state: 'failed', seen: 'CERT_HAS_EXPIRED', advice: expect.stringContaining('Renew') },
  ]);
});

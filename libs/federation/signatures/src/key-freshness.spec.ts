import { signatureVectors } from '../../../testing/src/partners/signed-requests';
import { freshKeys, type KeptKeys } from './key-freshness';
import { writeJwks } from './partner-keys';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const HOUR_MS = 3_600_000;
const [RSA, ED25519] = signatureVectors().map(({ publicKey }) => publicKey);
const ago = (ms: number): Date => new Date(NOW - ms);

function keptFor(documentMs: number | null, jwksMs: number | null): KeptKeys {
  return {
    documentKeys: writeJwks([RSA!]),
    documentReadAt: documentMs === null ? null : ago(documentMs),
    jwks: writeJwks([ED25519!]),
    jwksReadAt: jwksMs === null ? null : ago(jwksMs),
  };
}

it.each([
  [0, 0, ['rsa', 'ed25519']],
  [24 * HOUR_MS - 1, HOUR_MS - 1, ['rsa', 'ed25519']],
  [24 * HOUR_MS - 1, HOUR_MS, ['rsa']],
  [24 * HOUR_MS, 0, ['ed25519']],
  [null, null, []],
])('of a document of %p ms and a JWKS of %p ms these count: %p', (documentMs, jwksMs, kinds) => {
  const fresh = freshKeys(keptFor(documentMs, jwksMs), NOW);
  expect(fresh.map(({ kind }) => kind)).toEqual(kinds);
});

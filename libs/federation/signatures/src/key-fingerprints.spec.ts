import { signatureVectors } from '../../../testing/src/partners/signed-requests';
import { keyFingerprints } from './key-fingerprints';
import { writeJwks } from './partner-keys';

const [first, second] = signatureVectors().map(({ publicKey }) => publicKey);

it('shows each key once, whatever documents it is in', () => {
  const found = keyFingerprints(writeJwks([first!]), writeJwks([first!, second!]), '');
  expect(found.map(({ keyId, kind }) => [keyId, kind])).toEqual(
    [first!, second!].map(({ keyId, kind }) => [keyId, kind]),
  );
  expect(new Set(found.map(({ fingerprint }) => fingerprint)).size).toBe(2);
});

it('computes the thumbprint of the example in RFC 8037, A.3', () => {
  const key = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
  const [found] = keyFingerprints(JSON.stringify({ keys: [{ ...key, kid: 'example' }] }));
  expect(found?.fingerprint).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
});

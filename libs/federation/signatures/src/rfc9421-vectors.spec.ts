import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { requestTarget, signatureBase } from '#federation/protocol';
import { isSignatureOf } from './algorithms';
import { isBodyOf } from './body-digests';

/** RFC 9421, appendix B.1: the public keys of the examples. */
const keyOf = (key: JsonWebKey): KeyObject => createPublicKey({ key, format: 'jwk' });
const ED25519 = keyOf({ kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' });
const P256 = keyOf({
  kty: 'EC',
  crv: 'P-256',
  x: 'qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA',
  y: 'Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0',
});
const RSA_PSS = keyOf({
  kty: 'RSA',
  e: 'AQAB',
  n: 'r4tmm3r20Wd_PbqvP1s2-QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct-Lh1GH45x28Rw3Ry53mm-oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHqgDsznjPFmTOtCEcN2Z1FpWgchwuYLPL-Wokqltd11nqqzi-bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4aOT9v6d-nb4bnNkQVklLQ3fVAvJm-xdDOp9LCNCN48V2pnDOkFV6-U9nV5oyc6XI2w',
});

/** RFC 9421, appendix B.2: the request of all examples. */
const BODY = Buffer.from('{"hello": "world"}');
const FIELDS: Readonly<Record<string, string>> = {
  host: 'example.com',
  date: 'Tue, 20 Apr 2021 02:07:55 GMT',
  'content-type': 'application/json',
  'content-digest':
    'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:',
  'content-length': '18',
};
const TARGET = requestTarget('POST', 'https://example.com/foo?param=Value&Pet=dog');
const require = (name: string): string => FIELDS[name]!;

const baseOf = (components: readonly string[], parameters: string): string =>
  signatureBase(components, `(${components.map((name) => `"${name}"`).join(' ')});${parameters}`, TARGET, {
    require,
  });

describe('the examples of RFC 9421, appendix B.2', () => {
  it('have the digest of their body', () => {
    const value = /^sha-512=:(.+):$/.exec(FIELDS['content-digest']!)![1]!;
    expect(isBodyOf([{ algorithm: 'sha-512', value }], BODY)).toBe(true);
  });

  it('minimal (B.2.1)', () => {
    const base = baseOf([], 'created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd"');
    const signature =
      'd2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsckzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q==';
    expect(isSignatureOf(signature, base, RSA_PSS, 'rsa-pss-sha512')).toBe(true);
    expect(isSignatureOf(signature, base, RSA_PSS, 'rsa-v1_5-sha256')).toBe(false);
  });

  it('with full coverage (B.2.3)', () => {
    const components = [
      'date',
      '@method',
      '@path',
      '@query',
      '@authority',
      'content-type',
      'content-digest',
      'content-length',
    ];
    const base = baseOf(components, 'created=1618884473;keyid="test-key-rsa-pss"');
    const signature =
      'bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp768ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==';
    expect(isSignatureOf(signature, base, RSA_PSS, 'rsa-pss-sha512')).toBe(true);
  });

  it('with ECDSA over a response (B.2.4), with the printed base', () => {
    const base = [
      '"@status": 200',
      '"content-type": application/json',
      '"content-digest": sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:',
      '"content-length": 23',
      '"@signature-params": ("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"',
    ].join('\n');
    const signature =
      'wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==';
    expect(isSignatureOf(signature, base, P256, 'ecdsa-p256-sha256')).toBe(true);
  });

  it('with Ed25519 (B.2.6), signature and all', () => {
    const components = ['date', '@method', '@path', '@authority', 'content-type', 'content-length'];
    const base = baseOf(components, 'created=1618884473;keyid="test-key-ed25519"');
    const signature =
      'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==';
    expect(isSignatureOf(signature, base, ED25519, 'ed25519')).toBe(true);
    expect(isSignatureOf(signature, `${base} `, ED25519, 'ed25519')).toBe(false);
  });
});

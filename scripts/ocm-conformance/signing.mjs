// HTTP message signatures (RFC 9421) as OCM uses them, with optional faults for the checks.
import { createHash, createHmac, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';

/** The minimum of components in a signature of OCM. */
export const COVERED = ['@method', '@target-uri', 'content-digest', 'content-length'];

const ALGORITHMS = {
  ed25519: { digest: null },
  'ecdsa-p256-sha256': { digest: 'sha256', dsaEncoding: 'ieee-p1363' },
  'ecdsa-p384-sha384': { digest: 'sha384', dsaEncoding: 'ieee-p1363' },
  'rsa-v1_5-sha256': { digest: 'sha256' },
  'rsa-pss-sha512': { digest: 'sha512', padding: 6, saltLength: 64 },
};
const BY_KEY = { 'OKP/Ed25519': 'ed25519', 'EC/P-256': 'ecdsa-p256-sha256', 'EC/P-384': 'ecdsa-p384-sha384' };

/** A new pair of keys under this id. */
export function newKey(keyId) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { keyId, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid: keyId, alg: 'EdDSA' } };
}

export const digestOf = (body, name = 'sha-256') =>
  `${name}=:${createHash(name.replace('-', '')).update(body).digest('base64')}:`;

/**
 * The headers of a signed message.
 *
 * @param {{method: string, url: string, body: string, type: string}} message
 * @param key of `newKey`
 * @param {{covered?: string[], created?: number | null, tag?: string | null, label?: string, digest?: string, symmetric?:
 *   boolean, spoiled?: boolean, beside?: object[]}} faults differences from a right signature: `created` in seconds;
 *   `spoiled` has a wrong signature; `beside` is further signatures, each with its own faults
 * @returns {Record<string, string>}
 */
export function signedHeaders({ method, url, body, type }, key, faults = {}) {
  const headers = {
    'content-type': type,
    'content-length': String(Buffer.byteLength(body)),
    'content-digest': faults.digest ?? digestOf(body),
    date: new Date().toUTCString(),
  };
  const made = [faults, ...(faults.beside ?? [])].map((one) => signature({ method, url, headers }, key, one));
  return {
    ...headers,
    'signature-input': made.map(({ input }) => input).join(', '),
    signature: made.map(({ value }) => value).join(', '),
  };
}

function signature(message, key, faults) {
  const { covered = [...COVERED, 'date'], label = 'sig1', tag = 'ocm', spoiled = false, symmetric } = faults;
  const created = faults.created === undefined ? Math.floor(Date.now() / 1000) : faults.created;
  const parameters = [
    `(${covered.map((name) => `"${name}"`).join(' ')})`,
    ...(created === null ? [] : [`created=${created}`]),
    `keyid="${key.keyId}"`,
    `alg="${symmetric ? 'hmac-sha256' : 'ed25519'}"`,
    ...(tag === null ? [] : [`tag="${tag}"`]),
  ].join(';');
  const base = Buffer.from(signatureBase(message, covered, parameters));
  // The only secret that a stranger can guess: the public key itself.
  const bytes = symmetric
    ? createHmac('sha256', JSON.stringify(key.jwk)).update(base).digest()
    : sign(null, base, key.privateKey);
  if (spoiled) bytes[0] ^= 1;
  return { input: `${label}=${parameters}`, value: `${label}=:${bytes.toString('base64')}:` };
}

function signatureBase({ method, url, headers }, covered, parameters) {
  const values = { '@method': method, '@target-uri': url };
  const lines = covered.map((name) => `"${name}": ${values[name] ?? headers[name] ?? ''}`);
  return [...lines, `"@signature-params": ${parameters}`].join('\n');
}

const MEMBER =
  /([a-z*][a-z0-9_\-.*]*)=(\(([^)]*)\)((?:;[a-z0-9_\-.*]+(?:=(?:"(?:[^"\\]|\\.)*"|[^;,\s]+))?)*))/gi;

/**
 * The signatures of a received message that carry `tag="ocm"`.
 * @returns {{label: string, covered: string[], parameters: Record<string, string>, raw: string}[]}
 */
export function ocmSignatures(headers) {
  const input = headers['signature-input'] ?? '';
  const found = [...input.matchAll(MEMBER)].map(([, label, raw, names, rest]) => ({
    label,
    raw,
    covered: [...names.matchAll(/"([^"]*)"/g)].map(([, name]) => name),
    parameters: Object.fromEntries(
      [...rest.matchAll(/;([^=;]+)=(?:"([^"]*)"|([^;]+))/g)].map(([, name, text, bare]) => [
        name,
        text ?? bare,
      ]),
    ),
  }));
  return found.filter(({ parameters }) => parameters.tag === 'ocm');
}

/**
 * Whether the one OCM signature of a received message is right.
 *
 * @param {{method: string, url: string, headers: Record<string, string>}} message `url` in the form of the sender
 * @param {object[]} keys of the sender's JWKS
 * @returns {string | undefined} the fault
 */
export function faultOfSignature(message, keys) {
  const [found, ...others] = ocmSignatures(message.headers);
  if (!found) return 'it carries no signature with tag="ocm"';
  if (others.length > 0) return 'it carries more than one signature with tag="ocm"';
  const jwk = keys.find(({ kid }) => kid === found.parameters.keyid);
  if (!jwk) return `the key ${found.parameters.keyid} is not among the published ones`;
  const name = found.parameters.alg ?? BY_KEY[`${jwk.kty}/${jwk.crv}`] ?? 'rsa-v1_5-sha256';
  const algorithm = ALGORITHMS[name];
  if (!algorithm) return `${name} is no asymmetric algorithm of the registry that this runner knows`;
  const bytes = new RegExp(`(?:^|[,\\s])${escaped(found.label)}=:([^:]*):`).exec(
    message.headers.signature ?? '',
  )?.[1];
  if (bytes === undefined) return 'the Signature field lacks its member';
  const base = Buffer.from(signatureBase(message, found.covered, found.raw));
  const { digest, ...how } = algorithm;
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), ...how };
  return verify(digest, base, key, Buffer.from(bytes, 'base64')) ? undefined : 'the signature is wrong';
}

const escaped = (label) => label.replaceAll(/[.*]/g, '\\$&');

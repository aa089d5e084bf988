import { createHash, createPublicKey, generateKeyPairSync, sign, verify, type JsonWebKey } from 'node:crypto';
import type { RecordedRequest } from '..';
import type { Draft } from './sentences';

const MUST_COVER = ['@method', '@target-uri', 'content-digest', 'content-length'];
const FRESH_SECONDS = 300;

type Key = JsonWebKey & { readonly kid?: string };

/** The partner's key, for publishing and signing. */
export class OwnKey {
  private readonly pair = generateKeyPairSync('ed25519');

  constructor(private readonly keyId: string) {}

  get published(): object {
    return { ...this.pair.publicKey.export({ format: 'jwk' }), kid: this.keyId };
  }

  /** Headers of a signed POST. */
  headersFor(url: string, body: string): Record<string, string> {
    const digest = `sha-256=:${hashOf(body)}:`;
    const length = String(Buffer.byteLength(body));
    const covered = MUST_COVER.map((name) => `"${name}"`).join(' ');
    const parameters = `(${covered});created=${Math.floor(Date.now() / 1000)};keyid="${this.keyId}";alg="ed25519";tag="ocm"`;
    const lines = ['POST', url, digest, length].map((value, at) => `"${MUST_COVER[at]}": ${value}`);
    const base = [...lines, `"@signature-params": ${parameters}`].join('\n');
    const value = sign(null, Buffer.from(base), this.pair.privateKey).toString('base64');
    return {
      'content-digest': digest,
      'signature-input': `sig1=${parameters}`,
      signature: `sig1=:${value}:`,
    };
  }
}

/**
 * Checks the signature of a request by the rules of the draft.
 * @param url received address @param signer `host:port` of the required signer
 * @returns whether it is signed by the signer
 */
export async function isSignedBy(
  draft: Draft,
  { method, headers, body }: RecordedRequest,
  url: string,
  signer: string,
): Promise<boolean> {
  const members = [...(headers['signature-input'] ?? '').matchAll(/([\w*.-]+)=\(([^)]*)\)([^,]*)/g)];
  const ofOcm = members.filter(([, , , parameters]) => /;tag="ocm"/.test(parameters!));
  if (!draft.holds('signature.tag', ofOcm.length === 1, headers['signature-input'])) return false;
  const [, label, list, parameters] = ofOcm[0]!;
  const names = list!.split(' ').map((name) => name.replaceAll('"', ''));
  const coversAll = MUST_COVER.every((name) => names.includes(name));
  const created = Number(/;created=(\d+)/.exec(parameters!)?.[1]);
  const isFresh = Math.abs(Date.now() / 1000 - created) < FRESH_SECONDS;
  const value = (name: string): string =>
    name === '@method' ? method : name === '@target-uri' ? url : (headers[name] ?? '');
  const base = names.map((name) => `"${name}": ${value(name)}`);
  base.push(`"@signature-params": (${list})${parameters}`);
  const key = await keyOf(signer, /;keyid="([^"]*)"/.exec(parameters!)?.[1]);
  const signature = headers.signature?.split(/,\s*/).find((member) => member.startsWith(`${label}=:`));
  const bytes = Buffer.from(signature?.slice(label!.length + 2, -1) ?? '', 'base64');
  const digests = (headers['content-digest'] ?? '').split(/,\s*/);
  const found = [
    draft.holds('signature.covers', coversAll, names),
    draft.holds('signature.created', isFresh, parameters),
    draft.holds('signature.digest', digests.includes(`sha-256=:${hashOf(body)}:`), digests),
    draft.holds('signature.key', key !== undefined && key.kty !== 'oct', parameters),
    draft.holds('signature.valid', key !== undefined && isRight(key, base.join('\n'), bytes), parameters),
  ];
  return found.every(Boolean);
}

function isRight(key: Key, base: string, signature: Buffer): boolean {
  const opened = createPublicKey({ key, format: 'jwk' });
  const hash = key.kty === 'OKP' ? null : 'sha256';
  return verify(hash, Buffer.from(base), { key: opened, dsaEncoding: 'ieee-p1363' }, signature);
}

async function keyOf(signer: string, keyId: string | undefined): Promise<Key | undefined> {
  const answer = await fetch(`http://${signer}/.well-known/jwks.json`);
  const { keys } = (await answer.json()) as { readonly keys: readonly Key[] };
  return keys.find(({ kid }) => kid === keyId);
}

const hashOf = (body: string): string => createHash('sha256').update(body).digest('base64');

import type { FastifyRequest } from 'fastify';
import type { SigningHost } from '#federation/exchange';
import { hostOfAddress } from '#federation/protocol';
import type { KeyAnswer } from '#federation/signatures';
import { createLogger } from '#platform';
import { policyFrom } from '#sharing';
import {
  received,
  seenInMemory,
  SIGNED_AT,
  signatureVectors,
  type WrittenRequest,
} from '../../../../libs/testing/src/partners/signed-requests';
import type { PartnerKeySource } from './partner-key-source';
import { SenderProof, type Otherwise } from './sender-proof';

const [VECTOR] = signatureVectors();
const SIGNED = VECTOR!.request;
const UNSIGNED = { ...SIGNED, headers: SIGNED.headers.filter(([name]) => name !== 'Signature') };
/** The signer of the vector. */
const HOST = hostOfAddress('a.example.org');

interface Circumstances {
  readonly setting?: string;
  readonly known?: Partial<SigningHost>;
  readonly key?: KeyAnswer;
  /** Answer to the question whether the partner signs. */
  readonly signs?: 'yes' | 'no' | 'unknown';
}

let lines: Record<string, unknown>[];
let asked: string[];
let signers: string[];
beforeEach(() => {
  [lines, asked, signers] = [[], [], []];
  jest.useFakeTimers({ now: SIGNED_AT, doNotFake: ['nextTick', 'setImmediate'] });
});
afterEach(() => jest.useRealTimers());

function proofIn({ setting = 'known', known, key, signs = 'no' }: Circumstances): SenderProof {
  const answer = (host: string): Promise<KeyAnswer> => {
    asked.push(host);
    return Promise.resolve(key ?? { kind: 'found', key: VECTOR!.publicKey, host: HOST });
  };
  const signsOf = (host: string): Promise<'yes' | 'no' | 'unknown'> => {
    asked.push(host);
    return Promise.resolve(signs);
  };
  const source: Pick<PartnerKeySource, 'find' | 'findAnew' | 'signs'> = {
    find: answer,
    findAnew: answer,
    signs: signsOf,
  };
  const policy = policyFrom(new Map([['federatedfilesharing/incoming_signatures', setting]]));
  const partners = {
    host: () => Promise.resolve(known),
    noteSigned: (host: string) => Promise.resolve(void signers.push(host)),
  };
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return new SenderProof(
    { current: () => Promise.resolve(policy) } as never,
    partners as never,
    source as never,
    seenInMemory() as never,
    { url: 'https://b.example.org' } as never,
    createLogger('warn', { write }),
  );
}

function requestOf(written: WrittenRequest): FastifyRequest {
  const { method, rawHeaders, rawBody } = received(written);
  const originalUrl = new URL(written.url).pathname;
  return { method, originalUrl, body: rawBody, raw: { rawHeaders } } as unknown as FastifyRequest;
}

/** @returns the proof, or the reason for the refusal */
async function judged(
  circumstances: Circumstances,
  written: WrittenRequest,
  host: string = HOST,
  otherwise?: Otherwise,
): Promise<string> {
  try {
    return await proofIn(circumstances).of(requestOf(written), host, otherwise);
  } catch (error) {
    return (error as { refusal?: string }).refusal ?? String(error);
  }
}

const NONE = { isSigner: false, announces: false, signatures: null };
const SIGNER = { ...NONE, isSigner: true };
const ANNOUNCER = { ...NONE, announces: true };

describe('an unsigned message', () => {
  it.each<[string, Partial<SigningHost> | undefined, Otherwise, string]>([
    ['known', undefined, 'unproven', 'unsigned'],
    ['known', NONE, 'unproven', 'unsigned'],
    ['known', SIGNER, 'unproven', 'signature-missing'],
    ['known', SIGNER, 'confirmed', 'unsigned'],
    ['known', SIGNER, 'legacy', 'signature-missing'],
    ['known', ANNOUNCER, 'legacy', 'unsigned'],
    ['known', ANNOUNCER, 'unproven', 'signature-missing'],
    ['known', ANNOUNCER, 'confirmed', 'unsigned'],
    ['required', undefined, 'unproven', 'signature-missing'],
    ['required', undefined, 'confirmed', 'signature-missing'],
    ['required', { ...NONE, signatures: 'known' }, 'unproven', 'unsigned'],
    ['required', { ...SIGNER, signatures: 'checked' }, 'unproven', 'unsigned'],
    ['checked', SIGNER, 'unproven', 'unsigned'],
    ['checked', { ...NONE, signatures: 'required' }, 'unproven', 'signature-missing'],
    ['checked', { ...SIGNER, signatures: 'known' }, 'unproven', 'signature-missing'],
  ])('with the setting %s, from %p, %s otherwise: %s', async (setting, known, otherwise, outcome) => {
    expect(await judged({ setting, known }, UNSIGNED, HOST, otherwise)).toBe(outcome);
    expect(asked).toEqual([]);
    expect(lines).toHaveLength(outcome === 'unsigned' ? 0 : 1);
  });

  it('is judged by the facts that the caller has read', async () => {
    const facts = { ...SIGNER, ignoresUnreadable: false, isSettled: true, isProfiled: true };
    const judging = (known?: SigningHost) =>
      proofIn({ known: NONE }).of(requestOf(UNSIGNED), HOST, 'unproven', known);
    expect(await judging()).toBe('unsigned');
    await expect(judging(facts)).rejects.toMatchObject({ refusal: 'signature-missing' });
  });
});

describe('an unsigned message with a sender that can be asked for signatures', () => {
  it.each<[string, Partial<SigningHost> | undefined, 'yes' | 'no' | 'unknown', string, readonly string[]]>([
    ['known', undefined, 'yes', 'signature-missing', [HOST]],
    ['known', NONE, 'no', 'unsigned', [HOST]],
    ['known', NONE, 'unknown', 'unknown', [HOST]],
    ['known', SIGNER, 'no', 'signature-missing', []],
    ['known', ANNOUNCER, 'no', 'signature-missing', []],
    ['checked', NONE, 'yes', 'unsigned', []],
    ['checked', ANNOUNCER, 'yes', 'unsigned', []],
    ['required', NONE, 'no', 'signature-missing', []],
  ])(
    'where the setting is %s, of %p, which says %s: %s',
    async (setting, known, signs, outcome, questions) => {
      expect(await judged({ setting, known, signs }, UNSIGNED, HOST, 'asked')).toBe(outcome);
      expect(asked).toEqual(questions);
    },
  );
});

describe('a signature that cannot be read', () => {
  const UNREADABLE = {
    ...SIGNED,
    headers: SIGNED.headers.map(([name, value]) =>
      name === 'Signature' ? ([name, 'no signature'] as const) : ([name, value] as const),
    ),
  } as unknown as WrittenRequest;
  const IGNORED = { ...NONE, ignoresUnreadable: true };

  it.each<[string, Partial<SigningHost> | undefined, string]>([
    ['of a partner of whom nothing is known', undefined, 'signature-wrong'],
    ['of one for whom nothing was chosen', NONE, 'signature-wrong'],
    ['of one for whom an operator chose to ignore it', IGNORED, 'unsigned'],
    ['of such a one that is known to sign', { ...IGNORED, isSigner: true }, 'signature-missing'],
  ])('%s has this result', async (_who, known, outcome) => {
    expect(await judged({ known }, UNREADABLE)).toBe(outcome);
  });

  it('is not ignored if it can be read and is wrong', async () => {
    const elsewhere = { ...SIGNED, url: 'https://b.example.org/ocm/notifications' };
    expect(await judged({ known: IGNORED }, elsewhere)).toBe('signature-wrong');
  });
});

describe('a signed message', () => {
  it('proves its partner, which is known to sign from then on', async () => {
    expect(await judged({}, SIGNED)).toBe('signed');
    expect(signers).toEqual([HOST]);
    expect(lines).toEqual([]);
  });

  it('may come from any installation in a folder of the host', async () => {
    expect(await judged({}, SIGNED, `${HOST}/cloud`)).toBe('signed');
  });

  it.each<[string, string, KeyAnswer]>([
    ['signature-wrong', 'key-unknown', { kind: 'unknown' }],
    ['key-unavailable', 'key-unavailable', { kind: 'unavailable' }],
    [
      'signature-wrong',
      'key-unsuitable',
      { kind: 'found', key: { ...signatureVectors()[1]!.publicKey, keyId: VECTOR!.keyId }, host: HOST },
    ],
  ])('gets %s if its key is %s, under any setting', async (refusal, reason, key) => {
    expect(await judged({ setting: 'checked', key }, SIGNED)).toBe(refusal);
    expect(lines).toMatchObject([{ reason, partner: HOST, keyId: VECTOR!.keyId }]);
    expect(signers).toEqual([]);
  });

  it('of another host is refused, and only the server of its sender is asked for the key', async () => {
    const key = { kind: 'unknown' } as const;
    expect(await judged({ setting: 'checked', key }, SIGNED, 'c.example.org')).toBe('signature-wrong');
    expect(lines).toMatchObject([{ reason: 'wrong-signer', partner: 'c.example.org', keyId: VECTOR!.keyId }]);
    expect(asked).toEqual(['c.example.org']);
  });

  it('asks a limited number of partners if its key id names none of them', async () => {
    const hosts = Array.from({ length: 20 }, (_, at) => `c${at}.example.org`);
    const proof = proofIn({ setting: 'checked', key: { kind: 'unknown' } });
    await expect(proof.among(requestOf(SIGNED), hosts)).rejects.toThrow();
    expect(asked).toEqual(hosts.slice(0, 8));
  });

  it('proves only those of several partners at the host of its key', async () => {
    const hosts: string[] = ['c.example.org', HOST, `${HOST}/cloud`];
    expect(await proofIn({}).among(requestOf(SIGNED), hosts)).toEqual({
      proof: 'signed',
      hosts: [HOST, `${HOST}/cloud`],
    });
  });

  it('for another address is refused', async () => {
    const elsewhere = { ...SIGNED, url: 'https://b.example.org/ocm/notifications' };
    expect(await judged({}, elsewhere)).toBe('signature-wrong');
  });
});

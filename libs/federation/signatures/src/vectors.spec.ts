import { generateKeyPairSync } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { hostOfAddress, SIGNATURE_WINDOW_MS } from '#federation/protocol';
import {
  knownKeys,
  partnerKeyOf,
  received,
  seenInMemory,
  SIGNED_AT,
  signatureVectors,
  type SignatureVector,
  type WrittenRequest,
} from '../../../testing/src/partners/signed-requests';
import { signRequest } from './sign-request';
import { verifyRequest, type Verification } from './verify-request';

const VECTORS = signatureVectors();
const named = (vectors: readonly SignatureVector[]) =>
  vectors.map((vector) => [vector.algorithm, vector] as const);

function verify(
  vector: SignatureVector,
  request: WrittenRequest,
  { keys = knownKeys([vector.publicKey]), now = SIGNED_AT } = {},
): Promise<Verification> {
  return verifyRequest(received(request), { keys, seen: seenInMemory(), now });
}

type Change = readonly [name: string, change: (request: WrittenRequest) => WrittenRequest];

const withHeader = (name: string, change: (value: string) => string): Change[1] => {
  const changed = (request: WrittenRequest) => ({
    ...request,
    headers: request.headers.map(([one, value]) => [one, one === name ? change(value) : value] as const),
  });
  return changed;
};
const withoutHeader =
  (name: string): Change[1] =>
  (request) => ({ ...request, headers: request.headers.filter(([one]) => one !== name) });
const headerOf = ({ headers }: WrittenRequest, name: string): string =>
  headers.find(([one]) => one === name)?.[1] ?? '';

const otherLetter = (letter: string): string => (letter === 'A' ? 'B' : 'A');
const otherCase = (letter: string): string =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();

/** Changes of every header: missing, empty, twice, longer, and with each letter changed, removed or in the other case. */
function headerChanges({ headers }: WrittenRequest): Change[] {
  return headers.flatMap(([name, value]): Change[] => [
    [`${name} gone`, withoutHeader(name)],
    [`${name} empty`, withHeader(name, () => '')],
    [`${name} twice`, (request) => ({ ...request, headers: [...request.headers, [name, value]] })],
    [`${name} longer`, withHeader(name, (text) => `${text}A`)],
    ...[...value].flatMap((letter, at): Change[] => {
      const put = (other: string) =>
        withHeader(name, () => `${value.slice(0, at)}${other}${value.slice(at + 1)}`);
      const cased = otherCase(letter);
      return [
        [`${name} at ${at}`, put(otherLetter(letter))],
        [`${name} without ${at}`, put('')],
        ...(cased === letter ? [] : [[`${name} in another case at ${at}`, put(cased)] as const]),
      ];
    }),
  ]);
}

/** Changes of every covered component: left out, twice, moved to the front, and replaced by another. */
function componentChanges({ headers }: WrittenRequest): Change[] {
  const [header, pattern, quote] = headers.some(([name]) => name === 'Signature-Input')
    ? ['Signature-Input', /\(([^)]*)\)/, '"']
    : ['Signature', /headers="([^"]*)"/, ''];
  const list = pattern.exec(headerOf({ headers } as WrittenRequest, header))![1]!;
  const names = list.split(' ');
  const relist = (changed: readonly string[]) =>
    withHeader(header, (text) => text.replace(list, changed.join(' ')));
  return names.flatMap((name, at): Change[] => [
    [`component ${name} left out`, relist(names.filter((one) => one !== name))],
    [`component ${name} twice`, relist([...names, name])],
    [
      `component ${name} moved`,
      relist(at === 0 ? [...names.slice(1), name] : [name, ...names.filter((one) => one !== name)]),
    ],
    [
      `component ${name} replaced`,
      relist(names.map((one) => (one === name ? `${quote}accept${quote}` : one))),
    ],
    [`component ${name} with a parameter`, relist(names.map((one) => (one === name ? `${one};bs` : one)))],
  ]);
}

/** Changes of every parameter: left out, twice, moved to the front. */
function parameterChanges({ headers }: WrittenRequest): Change[] {
  const isNew = headers.some(([name]) => name === 'Signature-Input');
  const [header, separator] = isNew ? ['Signature-Input', ';'] : ['Signature', ','];
  const [first = '', ...rest] = headerOf({ headers } as WrittenRequest, header).split(separator);
  const [head, parameters] = isNew ? [[first], rest] : [[], [first, ...rest]];
  const rejoin = (changed: readonly string[]) =>
    withHeader(header, () => [...head, ...changed].join(separator));
  return parameters.flatMap((parameter, at): Change[] => {
    const name = parameter.split('=')[0]!;
    const others = parameters.filter((one) => one !== parameter);
    return [
      [`parameter ${name} left out`, rejoin(others)],
      [`parameter ${name} twice`, rejoin([...parameters, parameter])],
      [`parameter ${name} renamed`, rejoin(parameters.map((one) => (one === parameter ? `x${one}` : one)))],
      ...(isNew && parameters.length > 1
        ? ([
            [`parameter ${name} moved`, rejoin(at === 0 ? [...others, parameter] : [parameter, ...others])],
          ] as Change[])
        : []),
    ];
  });
}

const ALGORITHMS = ['rsa-sha1', 'rsa-sha256', 'rsa-sha512', 'hs2019', 'hmac-sha256', 'ed25519', 'none'];
const RFC_ALGORITHMS = ['rsa-v1_5-sha256', 'rsa-pss-sha512', 'ecdsa-p256-sha256', 'ecdsa-p384-sha384'];

function algorithmChanges({ algorithm, request }: SignatureVector): Change[] {
  const header = request.headers.some(([name]) => name === 'Signature-Input')
    ? 'Signature-Input'
    : 'Signature';
  return [...ALGORITHMS, ...RFC_ALGORITHMS]
    .filter((other) => other !== algorithm)
    .map((other) => [
      `algorithm ${other}`,
      withHeader(header, (text) => text.replace(`="${algorithm}"`, `="${other}"`)),
    ]);
}

const URLS = [
  'https://b.example.org/ocm/notifications',
  'https://b.example.org/ocm/shares/',
  'https://b.example.org/index.php/ocm/shares',
  'https://b.example.org/OCM/shares',
  'https://b.example.org/ocm/shares?',
  'https://b.example.org/ocm/shares?a=1',
  'https://b.example.org/ocm/%73hares',
  'https://c.example.org/ocm/shares',
  'https://b.example.org:8443/ocm/shares',
  'https://b.example.org@c.example.org/ocm/shares',
];

/** Changes of method, address and body. */
function requestChanges({ body }: WrittenRequest): Change[] {
  return [
    ...['GET', 'PUT', 'DELETE', 'PATCH', 'post', ''].map((method): Change => [
      `method '${method}'`,
      (request) => ({ ...request, method }),
    ]),
    ...URLS.map((url): Change => [`address ${url}`, (request) => ({ ...request, url })]),
    ['body gone', (request) => ({ ...request, body: '' })],
    ['body longer', (request) => ({ ...request, body: `${body} ` })],
    ...[...body].map((letter, at): Change => [
      `body at ${at}`,
      (request) => ({ ...request, body: body.slice(0, at) + otherLetter(letter) + body.slice(at + 1) }),
    ]),
  ];
}

const allChanges = (vector: SignatureVector): Change[] => [
  ...headerChanges(vector.request),
  ...componentChanges(vector.request),
  ...parameterChanges(vector.request),
  ...algorithmChanges(vector),
  ...requestChanges(vector.request),
];

describe.each(named(VECTORS))('the vector of %s', (algorithm, vector) => {
  it('verifies', async () => {
    expect(await verify(vector, vector.request)).toEqual({
      kind: 'valid',
      keyId: vector.keyId,
      algorithm,
      host: 'a.example.org',
    });
  });

  it('verifies under another spelling of header names, and among other headers', async () => {
    const headers = vector.request.headers.map(
      ([name, value]) => [name.toUpperCase(), ` ${value}\t`] as const,
    );
    const request = { ...vector.request, headers: [['accept', '*/*'] as const, ...headers] };
    expect(await verify(vector, request)).toMatchObject({ kind: 'valid' });
  });

  it('fails after any single change', async () => {
    const survivors: string[] = [];
    for (const [name, change] of allChanges(vector)) {
      const changed = change(vector.request);
      if (isDeepStrictEqual(changed, vector.request)) throw new Error(`${name} is no change`);
      if ((await verify(vector, changed)).kind === 'valid') survivors.push(name);
    }
    expect(survivors).toEqual([]);
  });

  it.each([
    ['as long before', -SIGNATURE_WINDOW_MS, 'valid'],
    ['as long after', SIGNATURE_WINDOW_MS, 'valid'],
    ['longer before', -SIGNATURE_WINDOW_MS - 1, 'invalid'],
    ['longer after', SIGNATURE_WINDOW_MS + 1, 'invalid'],
  ])('counts %s as its window says', async (_, offset, kind) => {
    const now = SIGNED_AT + offset;
    expect(await verify(vector, vector.request, { now })).toMatchObject(
      kind === 'valid' ? { kind } : { kind, reason: 'out-of-date' },
    );
  });

  it('fails under every other key', async () => {
    const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const { privateKey: p256 } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { privateKey: ed25519 } = generateKeyPairSync('ed25519');
    const reasons = [];
    for (const [kind, key] of Object.entries({ rsa, p256, ed25519 } as const)) {
      const keys = knownKeys([partnerKeyOf(vector.keyId, kind as 'rsa', key)]);
      const isSameKind = kind === vector.publicKey.kind;
      reasons.push(isSameKind ? 'signature-wrong' : 'key-unsuitable');
      expect(await verify(vector, vector.request, { keys })).toMatchObject({ reason: reasons.at(-1) });
    }
    expect(reasons.filter((reason) => reason === 'signature-wrong')).toHaveLength(1);
  });

  it('fails if the signer has no such key, or answers with a key of another id', async () => {
    expect(await verify(vector, vector.request, { keys: knownKeys([]) })).toMatchObject({
      reason: 'key-unknown',
    });
    const key = { ...vector.publicKey, keyId: 'https://a.example.org/ocm#other' };
    const found = () =>
      Promise.resolve({ kind: 'found', key, host: hostOfAddress('a.example.org') } as const);
    expect(await verify(vector, vector.request, { keys: { find: found, findAnew: found } })).toMatchObject({
      reason: 'key-unknown',
    });
  });
});

describe('the signatures of the vectors', () => {
  const deterministic = VECTORS.filter(({ algorithm }) => algorithm !== 'ecdsa-p256-sha256');

  it.each(named(deterministic))('are made identically by us: %s', async (algorithm, vector) => {
    const { request, keyId, privateKey: key } = vector;
    const { method, url } = request;
    const added = await signRequest(
      { method, url, body: Buffer.from(request.body) },
      { keyId, algorithm, key },
      SIGNED_AT,
    );
    const stored = request.headers.map(([name, value]) => [name.toLowerCase(), value]);
    const sentByClient = ['content-length', 'host'];
    expect(added).toEqual(Object.fromEntries(stored.filter(([name]) => !sentByClient.includes(name!))));
  });
});

import fc from 'fast-check';
import {
  SIGNED_AT,
  signatureVectors,
  untaggedVectors,
  type WrittenRequest,
} from '../../../../testing/src/partners/signed-requests';
import { readSignature } from './read-signature';
import { SignatureRefused } from './signature-refused';

const VECTORS = signatureVectors();

function read({ method, url, headers, body }: WrittenRequest) {
  return readSignature({ method, url, rawHeaders: headers.flat() }, Buffer.byteLength(body), SIGNED_AT);
}

/** The refusal, `unsigned`, or `in order`. */
function outcomeOf(request: WrittenRequest): string {
  try {
    return read(request) ? 'in order' : 'unsigned';
  } catch (error) {
    if (error instanceof SignatureRefused) return error.refusal;
    throw error;
  }
}

describe.each(VECTORS.map((vector) => [vector.algorithm, vector] as const))(
  'the vector of %s',
  (_, vector) => {
    it('gives back the signed text', () => {
      expect(read(vector.request)).toMatchObject({
        signer: { keyId: vector.keyId, host: 'a.example.org' },
        signedText: vector.signedText,
        algorithm: vector.algorithm,
        acceptableUntil: SIGNED_AT + 300_000,
      });
    });

    const headers = (change: (name: string, value: string) => readonly (readonly [string, string])[]) => ({
      ...vector.request,
      headers: vector.request.headers.flatMap(([name, value]) => change(name, value)),
    });

    it('counts as unsigned without signature headers, even if other headers are wrong', () => {
      const stripped = headers((name, value) => (name.startsWith('Signature') ? [] : [[name, value]]));
      expect(outcomeOf({ ...stripped, method: 'M-SEARCH', body: '' })).toBe('unsigned');
    });
  },
);

const [CAVAGE, , ES256] = VECTORS.map(({ request }) => request);

/** The request with a text replaced in the header of its signature. */
function replaced(request: WrittenRequest, from: string | RegExp, to: string): WrittenRequest {
  const headers = request.headers.map(([name, value]) => [name, value.replace(from, to)] as const);
  expect(headers).not.toEqual(request.headers);
  return { ...request, headers };
}

const repeated = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join('');
const letters = (at: number) => `x${'abcdefghijklmnopqrstuvwxyz'[at]}`;

describe('a signed value', () => {
  it.each(['x\nhost: c.example.org', 'x\r', '\0'])('never spans several lines: %j', (value) => {
    for (const request of [
      replaced(CAVAGE!, ' host"', ' host x-note"'),
      replaced(ES256!, '"date"', '"date" "x-note"'),
    ]) {
      const sent = (note: string) =>
        outcomeOf({ ...request, headers: [...request.headers, ['X-Note', note]] });
      expect([sent('x'), sent(`y${value}z`)]).toEqual(['in order', 'malformed']);
    }
  });
});

describe('a signature of draft-cavage', () => {
  it.each<[string, string | RegExp, string, string]>([
    ['with a parameter that nobody knows', /$/, ',opaque="x"', 'in order'],
    ['with spaces between its parameters', '",algorithm', '" ,\talgorithm', 'in order'],
    ['over further headers', ' digest host"', ' digest host signature"', 'in order'],
    ['over a header that is not there', ' digest host"', ' digest host cookie"', 'malformed'],
    ['over a header twice', ' digest host"', ' digest host date"', 'malformed'],
    ['over another part than its target', '(request-target)', '(request-target) (created)', 'unsupported'],
    ['over names in capitals', ' host"', ' Host"', 'unsupported'],
    ['with too many parameters', /$/, repeated(14, (at) => `,${letters(at)}="x"`), 'malformed'],
    ['with a time of its own', /$/, ',created=1795262400', 'unsupported'],
    ['with a quoted time of its own', /$/, ',created="1795262400"', 'unsupported'],
    ['of another algorithm', 'rsa-sha512', 'hs2019', 'unsupported'],
    ['of a key that is nobody’s', 'https://a.example.org/ocm#signature', '#signature', 'malformed'],
  ])('%s', (_, from, to, outcome) => {
    const [signature] = CAVAGE!.headers.filter(([name]) => name === 'Signature');
    const others = CAVAGE!.headers.filter(([name]) => name !== 'Signature');
    const changed = replaced({ ...CAVAGE!, headers: [signature!] }, from, to);
    expect(outcomeOf({ ...CAVAGE!, headers: [...others, ...changed.headers] })).toBe(outcome);
  });

  it.each([
    [27, 'in order'],
    [28, 'malformed'],
  ])('over %d more headers is %s', (count, outcome) => {
    const more = Array.from({ length: count }, (_, at) => [`x-${at}`, 'x'] as const);
    const names = more.map(([name]) => ` ${name}`).join('');
    const request = replaced(CAVAGE!, ' host"', ` host${names}"`);
    expect(outcomeOf({ ...request, headers: [...request.headers, ...more] })).toBe(outcome);
  });
});

describe('a signature of RFC 9421', () => {
  it.each<[string, string | RegExp, string, string]>([
    ['with a parameter that nobody knows', /$/, ';more="x"', 'in order'],
    ['with a nonce', /$/, ';nonce="x"', 'in order'],
    ['with a nonce that is no text', /$/, ';nonce=1', 'malformed'],
    ['without a tag', ';tag="ocm"', '', 'untagged'],
    ['with the tag of something else', 'tag="ocm"', 'tag="web-bot-auth"', 'untagged'],
    ['with the tag in capitals', 'tag="ocm"', 'tag="OCM"', 'untagged'],
    ['with a tag that is no text', 'tag="ocm"', 'tag=ocm', 'untagged'],
    ['with a tag twice', /$/, ';tag="ocm"', 'malformed'],
    ['with a time that is no number', 'created=1795262400', 'created="1795262400"', 'malformed'],
    ['with an end that is no number', /$/, ';expires', 'malformed'],
    ['with an end that is over', /$/, ';expires=1795262399', 'out-of-date'],
    ['with an end to come', /$/, ';expires=1795262400', 'in order'],
    ['with a key id that is no text', /keyid="[^"]*"/, 'keyid=1', 'malformed'],
    ['with an algorithm that is no text', /alg="[^"]*"/, 'alg=ed25519', 'malformed'],
    ['over a header that is not there', '"date"', '"date" "cookie"', 'malformed'],
    ['over a component twice', '"date"', '"date" "@method"', 'malformed'],
    ['over a component that is no text', '"date"', 'date', 'malformed'],
    ['over names in capitals', '"date"', '"date" "Content-Type"', 'unsupported'],
    ['over itself', '"date"', '"date" "@signature-params"', 'unsupported'],
    ['over a part of a field', '"content-digest"', '"content-digest";key="sha-256"', 'unsupported'],
    ['over a host that is not there', '"date"', '"date" "host"', 'malformed'],
    ['under another name than the signature has', 'ocm=', 'sig1=', 'malformed'],
    ['that is no list', /ocm=.*$/, 'ocm="x";tag="ocm"', 'untagged'],
    ['without its length', ' "content-length"', '', 'not-covered'],
    ['without its digest', ' "content-digest"', '', 'not-covered'],
    ['without its method', '"@method" ', '', 'not-covered'],
    ['without its address', ' "@target-uri"', '', 'not-covered'],
    [
      'with the parts of its address in place of the whole',
      '"@target-uri"',
      '"@authority" "@path"',
      'not-covered',
    ],
    ['without its date', ' "date"', '', 'in order'],
    ['without a time', 'created=1795262400;', '', 'not-covered'],
    ['of a key whose id names no host', /keyid="[^"]*"/, 'keyid="#1"', 'in order'],
    ['of no key', /keyid="[^"]*";/, '', 'malformed'],
    ['of a symmetric algorithm', /alg="[^"]*"/, 'alg="hmac-sha256"', 'unsupported'],
    ['beside another one', /^/, 'sig1=("@status");created=1, ', 'in order'],
    ['beside one of a proxy', /^/, 'proxy=("@query-param";name="a");q=0.50;tag="proxy", ', 'in order'],
    ['beside another one with its tag', /^/, 'sig1=("@method");created=1;tag="ocm", ', 'malformed'],
    ['beside another one of its name', /^/, 'ocm=("@method");created=1, ', 'malformed'],
  ])('%s', (_, from, to, outcome) => {
    const [input] = ES256!.headers.filter(([name]) => name === 'Signature-Input');
    const others = ES256!.headers.filter(([name]) => name !== 'Signature-Input');
    const changed = replaced({ ...ES256!, headers: [input!] }, from, to);
    expect(outcomeOf({ ...ES256!, headers: [...others, ...changed.headers] })).toBe(outcome);
  });

  it('is valid only until its own end', () => {
    const ending = replaced(ES256!, /;tag="ocm"$/, ';tag="ocm";expires=1795262460');
    expect(read(ending)?.acceptableUntil).toBe(1_795_262_460_000);
  });

  it('is found by its tag under any label', () => {
    const labelled = replaced(ES256!, /^ocm=/, 'sig1=');
    expect(read(labelled)?.signedText).toBe(read(ES256!)?.signedText);
  });

  it('can cover parts of the address as well as the whole, also a missing query', () => {
    const parts = replaced(ES256!, '"@target-uri"', '"@target-uri" "@authority" "@path" "@query"');
    expect(read(parts)?.signedText).toContain(
      '"@authority": b.example.org\n"@path": /ocm/shares\n"@query": ?\n',
    );
    const asked = { ...parts, url: `${parts.url}?a=%20b` };
    expect(read(asked)?.signedText).toContain('"@path": /ocm/shares\n"@query": ?a=%20b\n');
  });

  it.each(untaggedVectors().map((vector) => [vector.algorithm, vector.request] as const))(
    'is refused without the tag, whatever its label: %s',
    (_, request) => expect(outcomeOf(request)).toBe('untagged'),
  );

  it.each([
    ['GET', 'in order'],
    ['HEAD', 'in order'],
    ['POST', 'not-covered'],
  ])('of %s without a body and its digest is %s', (method, outcome) => {
    const bare = replaced(ES256!, ' "content-digest" "content-length"', '');
    const headers = bare.headers.filter(([name]) => name !== 'Content-Length');
    expect(outcomeOf({ ...bare, headers, method, body: '' })).toBe(outcome);
  });

  it('that covers a host must name ours', () => {
    const covered = replaced(ES256!, '"date"', '"date" "host"');
    const sentTo = (host: string) => outcomeOf({ ...covered, headers: [...covered.headers, ['Host', host]] });
    expect([sentTo('b.example.org'), sentTo('B.example.org:443'), sentTo('c.example.org')]).toEqual([
      'in order',
      'in order',
      'wrong-host',
    ]);
  });
});

/** Words with a meaning in signature headers. */
const WORDS = [
  ...[
    '"',
    ':',
    ';',
    ',',
    '=',
    '(',
    ')',
    '\\',
    '?',
    ' ',
    '\t',
    '\n',
    '\0',
    '-',
    '.',
    '*',
    '@',
    'é',
    '\u{1f600}',
    '\ud800',
  ],
  ...[
    'ocm=',
    'ocm=(',
    'sig1=',
    ';created=',
    ';expires=0',
    ';keyid="',
    ';tag="ocm"',
    ';alg="ed25519"',
    '"@query-param";name="a"',
    '@',
  ],
  ...[
    '"@signature-params"',
    '"@target-uri"',
    'keyId="',
    'headers="',
    '(created)',
    '(request-target)',
    'rsa-sha256',
  ],
  ...[
    '9007199254740993',
    '-1',
    '1e9',
    'NaN',
    '__proto__',
    'constructor',
    'a'.repeat(5_000),
    '('.repeat(3_000),
  ],
  ...[' '.repeat(8_000), '"\\'.repeat(2_000), 'x,'.repeat(2_000), ';x'.repeat(2_000), '='.repeat(4_000)],
];

const change = fc.record({
  header: fc.nat(),
  kind: fc.constantFrom('insert', 'append', 'cut', 'replace', 'repeat', 'name', 'twice', 'gone'),
  at: fc.nat(),
  length: fc.nat(40),
  word: fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: 'binary', maxLength: 12 })),
});

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function apply(request: WrittenRequest, { header, kind, at, length, word }: Change): WrittenRequest {
  const index = header % Math.max(1, request.headers.length);
  const headers = request.headers.flatMap((line, current): (readonly [string, string])[] => {
    if (current !== index) return [line];
    const [name, value] = line;
    const start = at % (value.length + 1);
    const [before, middle, after] = [
      value.slice(0, start),
      value.slice(start, start + length),
      value.slice(start + length),
    ];
    switch (kind) {
      case 'insert':
        return [[name, `${before}${word}${middle}${after}`]];
      case 'append':
        return [[name, `${value}${word}`]];
      case 'cut':
        return [[name, `${before}${after}`]];
      case 'replace':
        return [[name, `${before}${word}${after}`]];
      case 'repeat':
        return [[name, `${before}${middle.repeat(20)}${after}`]];
      case 'name':
        return [[word, value]];
      case 'twice':
        return [line, line];
      case 'gone':
        return [];
    }
  });
  return { ...request, headers };
}

describe('headers with random errors', () => {
  it('are refused or read, and never break the reader', () => {
    const counts = new Map<string, number>();
    fc.assert(
      fc.property(
        fc.constantFrom(...VECTORS),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        (vector, changes) => {
          const outcome = outcomeOf(changes.reduce(apply, vector.request));
          counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        },
      ),
      { seed: 20261121, numRuns: 10_000 },
    );
    // Every kind of outcome was reached, so the changes are neither too small nor too large.
    const reached = [
      'in order',
      'malformed',
      'unsupported',
      'not-covered',
      'wrong-host',
      'length-wrong',
      'out-of-date',
      'unsigned',
      'untagged',
    ];
    expect([...counts.keys()].sort()).toEqual(reached.sort());
  });

  it('may be very many', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => [`x-${at % 100}`, 'x'.repeat(50)] as const);
    for (const { request } of VECTORS)
      expect(outcomeOf({ ...request, headers: [...many, ...request.headers] })).toBe('in order');
    const signatures = Array.from({ length: 10_000 }, () => ['Signature', 'ocm=:AAAA:'] as const);
    for (const { request } of VECTORS)
      expect(outcomeOf({ ...request, headers: [...request.headers, ...signatures] })).toBe('malformed');
  });
});

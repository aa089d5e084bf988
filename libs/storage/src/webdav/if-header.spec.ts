import fc from 'fast-check';
import { holds, parseIf, submittedTokens, wantedEtags, type ResourceState } from './if-header';

const state = (etag: string | undefined, ...tokens: string[]): ResourceState => ({
  etag,
  tokens: new Set(tokens),
});
const judge = (header: string, states: Record<string, ResourceState>): boolean =>
  holds(parseIf(header), (resource) => states[resource ?? 'request'] ?? state(undefined));

describe('an If header of WebDAV', () => {
  it.each([
    ['(<urn:a>)', true],
    ['(<urn:b>)', false],
    ['(["one"])', true],
    ['([W/"one"])', true],
    ['(["two"])', false],
    ['(<urn:a> ["one"])', true],
    ['(<urn:a> ["two"])', false],
    ['(<urn:b>) (["one"])', true],
    ['(Not <urn:b>)', true],
    ['(Not<urn:a>)', false],
    ['(not <DAV:no-lock> ["one"])', true],
    ['(Not ["two"])(<urn:b>)', true],
  ])('without addresses is about the resource of the request: %s', (header, expected) => {
    expect(judge(header, { request: state('one', 'urn:a') })).toBe(expected);
  });

  it('with addresses is about those resources, one of which has to match', () => {
    const states = { '/a': state('one', 'urn:a'), 'http://host/b': state('two') };
    expect(judge('</a> (<urn:a>) <http://host/b> (["one"])', states)).toBe(true);
    expect(judge('</a> (<urn:b>) (["one"])', states)).toBe(true);
    expect(judge('</a> (<urn:b>) <http://host/b> (["one"])', states)).toBe(false);
    expect(judge('</elsewhere> (<urn:a>)', states)).toBe(false);
    expect(judge('</elsewhere> (Not <urn:a>)', states)).toBe(true);
  });

  it('submits all its tokens, even those in an unmet list', () => {
    const lists = parseIf('</a> (<urn:a> Not <urn:b>) (["x"] <urn:a>)');
    expect(submittedTokens(lists)).toEqual(['urn:a', 'urn:b']);
    expect(wantedEtags(parseIf('(["a"]) (Not ["b"] [W/"c"])'))).toEqual(['a', 'c']);
  });

  it.each([
    '',
    ' ',
    'x',
    '()',
    '(<urn:a>',
    '<urn:a>',
    '(<urn:a>) </b> (<urn:b>)',
    '(["a)',
    '([a])',
    '(Not)',
    '(<urn:a>)x',
    `(<urn:${'a'.repeat(9000)}>)`,
    '(<a>)'.repeat(101),
  ])('is refused when it is malformed or too long (%#)', (header) => {
    expect(() => parseIf(header)).toThrow(expect.objectContaining({ code: 'bad-request' }));
  });

  const word = fc.stringMatching(/^[a-z0-9:./-]{1,12}$/);
  const condition = fc.record({
    isNegated: fc.boolean(),
    kind: fc.constantFrom('token' as const, 'etag' as const),
    value: word,
  });
  const lists = (resource: fc.Arbitrary<string | undefined>) =>
    fc.array(fc.record({ resource, conditions: fc.array(condition, { minLength: 1, maxLength: 4 }) }), {
      minLength: 1,
      maxLength: 5,
    });

  it('is read back unchanged, with any lists', () => {
    fc.assert(
      fc.property(
        fc.oneof(lists(fc.constant(undefined)), lists(word)),
        fc.constantFrom('', ' '),
        (all, gap) => {
          const written = all.map(({ resource, conditions }) => {
            const inside = conditions.map(
              ({ isNegated, kind, value }) =>
                `${isNegated ? 'Not ' : ''}${kind === 'token' ? `<${value}>` : `["${value}"]`}`,
            );
            return `${resource === undefined ? '' : `<${resource}>${gap}`}(${inside.join(gap)})`;
          });
          expect(parseIf(written.join(gap))).toEqual(all);
        },
      ),
    );
  });

  it('is either read or refused as a bad request', () => {
    const parts = fc.constantFrom('(', ')', '<a>', '["e"]', 'Not', ' ', 'W/', '"', '<', '>', '[', ']');
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 30 }), (pieces) => {
        try {
          expect(parseIf(pieces.join('')).length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad-request' });
        }
      }),
    );
  });
});

import fc from 'fast-check';
import {
  attributesToRepeat,
  conditionsOf,
  conditionsToKeep,
  decideAccess,
  DownloadPermit,
  NodeAccess,
  PLAIN_SESSION,
  STRONG_SESSION,
  VISITOR_SESSION,
  unmetRequirements,
  type Grant,
  type NodeOperation,
  type ShareChain,
} from './node-access';

const VIEW_ONLY = JSON.stringify([{ scope: 'permissions', key: 'download', enabled: false }]);
const MAY_DOWNLOAD = JSON.stringify([{ scope: 'permissions', key: 'download', enabled: true }]);
const MFA = STRONG_SESSION;
const NEEDS_FACTOR = JSON.stringify([{ scope: 'authentication', key: 'second-factor', enabled: true }]);
const NEEDS_ACCOUNT = JSON.stringify([{ scope: 'authentication', key: 'account', enabled: true }]);

const OPERATIONS: readonly NodeOperation[] = [
  ...(['list', 'read', 'download', 'write', 'create', 'delete', 'reshare'] as const),
];
const allowed = (chain: ShareChain, session = PLAIN_SESSION): NodeOperation[] =>
  OPERATIONS.filter((operation) => decideAccess(chain, session).may(operation));
const grant = (permissions: number, attributes: string | null = null): Grant => ({ permissions, attributes });

describe('the rights of a user on a node', () => {
  it.each<[string, ShareChain, string]>([
    ['its owner', 'own', 'list read download write create delete reshare'],
    ['no share at all', [], ''],
    ['a share that has ended', [[]], ''],
    ['a share with permission 1', [[grant(1)]], 'list read download'],
    ['a share with permission 4', [[grant(4)]], 'create'],
    ['a share with permission 19', [[grant(19)]], 'list read download write reshare'],
    ['a view-only share', [[grant(31, VIEW_ONLY)]], 'list read write create delete reshare'],
    ['a share that names download as allowed', [[grant(1, MAY_DOWNLOAD)]], 'list read download'],
    ['a view-only share and one that is not', [[grant(1, VIEW_ONLY), grant(1)]], 'list read download'],
    ['a view-only share and one to upload', [[grant(1, VIEW_ONLY), grant(4)]], 'list read create'],
    ['a link of a view-only share', [[grant(31, VIEW_ONLY)], [grant(1)]], 'list read'],
    ['a view-only link', [[grant(1, VIEW_ONLY)]], 'list read'],
    ['a link with more than its share', [[grant(17)], [grant(15)]], 'list read download'],
  ])('by %s', (_name, chain, operations) => {
    expect(allowed(chain).join(' ')).toBe(operations);
  });

  it.each([
    ['null', true],
    ['"false"', false],
    ['"true"', true],
    ['"perhaps"', false],
  ])('with download enabled: %s', (enabled, mayDownload) => {
    const attributes =
      enabled === 'null' ? null : `[{"scope":"permissions","key":"download","enabled":${enabled}}]`;
    expect(decideAccess([[grant(1, attributes)]], PLAIN_SESSION).may('download')).toBe(mayDownload);
  });

  it('are none if a requirement is not met', () => {
    const needs = (...requirements: string[]): ShareChain => [[{ ...grant(31), requirements }]];
    expect(allowed(needs('must-exchange-token'))).toEqual(OPERATIONS);
    expect(allowed(needs('must-use-mfa'))).toEqual([]);
    expect(allowed(needs('must-use-mfa'), MFA)).toEqual(OPERATIONS);
    expect(allowed(needs('must-exchange-token', 'must-dance'), MFA)).toEqual([]);
  });

  it.each([
    ['a second factor, of a visitor', NEEDS_FACTOR, VISITOR_SESSION, 'second-factor'],
    ['a second factor, of a password alone', NEEDS_FACTOR, PLAIN_SESSION, 'second-factor'],
    ['a second factor, of one who has it', NEEDS_FACTOR, MFA, undefined],
    ['an account, of a visitor', NEEDS_ACCOUNT, VISITOR_SESSION, 'account'],
    ['an account, of one who has it', NEEDS_ACCOUNT, PLAIN_SESSION, undefined],
    ['nothing, of a visitor', null, VISITOR_SESSION, undefined],
  ])('name the unmet requirement of a share that demands %s', (_name, attributes, session, missing) => {
    const access = decideAccess([[grant(31, attributes)]], session);
    expect([access.missing, access.may('read'), access.within(1).missing]).toEqual([
      missing,
      missing === undefined,
      missing,
    ]);
  });

  it('need no second factor if another share of the node demands none', () => {
    expect(allowed([[grant(31, NEEDS_FACTOR), grant(1)]])).toEqual(['list', 'read', 'download']);
    expect(decideAccess([[grant(31)], [grant(31, NEEDS_FACTOR)]], PLAIN_SESSION).permissions).toBe(0);
    expect(decideAccess([[]], PLAIN_SESSION).missing).toBeUndefined();
  });

  it('cannot be made without the rule: the types refuse it', () => {
    // @ts-expect-error its constructor is private
    expect(() => new NodeAccess(31, false)).not.toThrow();
    // @ts-expect-error the symbol that it takes stays in its module
    expect(() => new DownloadPermit(Symbol('made up'))).not.toThrow();
    expect(decideAccess([[grant(1, VIEW_ONLY)]], PLAIN_SESSION).downloadPermit()).toBeUndefined();
    expect(decideAccess([[grant(4)]], PLAIN_SESSION).downloadPermit()).toBeUndefined();
    expect(decideAccess([[grant(1)]], PLAIN_SESSION).downloadPermit()).toBeInstanceOf(DownloadPermit);
  });

  it('are those of a drop folder with only the permission to create', () => {
    const drops = [1, 4, 5, 12, 15].filter((bits) => decideAccess([[grant(bits)]], PLAIN_SESSION).isDrop);
    expect(drops).toEqual([4, 12]);
  });

  it('are reduced by a mask', () => {
    const access = decideAccess([[grant(31, VIEW_ONLY)]], PLAIN_SESSION).within(5);
    expect([access.permissions, access.isViewOnly]).toEqual([5, true]);
  });

  it('never grow with a longer chain, and never shrink with another share', () => {
    const grants = fc.array(
      fc.record({
        permissions: fc.integer({ min: 0, max: 31 }),
        attributes: fc.constantFrom(null, VIEW_ONLY, MAY_DOWNLOAD),
      }),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(fc.array(grants, { minLength: 1, maxLength: 3 }), grants, (chain, more) => {
        expect(allowed(chain)).toEqual(expect.arrayContaining(allowed([...chain, more])));
        expect(allowed([chain.flat().concat(more)])).toEqual(expect.arrayContaining(allowed([more])));
      }),
    );
  });
});

describe('the rights that a user can share again', () => {
  it('keep the conditions of the received share, but not its permissions', () => {
    expect(conditionsOf(null)).toEqual([]);
    expect(conditionsOf([grant(4, VIEW_ONLY)])).toEqual([]);
    expect(conditionsOf([grant(17, VIEW_ONLY), grant(4)])).toEqual([[grant(31, VIEW_ONLY)]]);
  });

  it('keep conditions of lost shares, as far as every share that could be read has them', () => {
    const viewOnly: unknown = JSON.parse(VIEW_ONLY);
    expect(conditionsToKeep([])).toEqual([]);
    expect(conditionsToKeep([grant(17, VIEW_ONLY)])).toEqual(viewOnly);
    expect(conditionsToKeep([grant(17, VIEW_ONLY), grant(17)])).toEqual([]);
    expect(conditionsToKeep([grant(17, VIEW_ONLY), grant(17, MAY_DOWNLOAD)])).toEqual([]);
    expect(conditionsToKeep([grant(17, VIEW_ONLY), grant(4)])).toEqual(viewOnly);
    expect(conditionsToKeep([grant(4, VIEW_ONLY)])).toEqual([]);
    expect(conditionsToKeep([grant(17, NEEDS_FACTOR)])).toEqual(JSON.parse(NEEDS_FACTOR));
  });

  it('repeat the restrictions that all shares have', () => {
    expect(attributesToRepeat([grant(17, VIEW_ONLY)])).toHaveLength(1);
    expect(attributesToRepeat([grant(17, VIEW_ONLY), grant(17)])).toEqual([]);
    expect(attributesToRepeat([grant(17, VIEW_ONLY), grant(4)])).toHaveLength(1);
    const demanded = [{ scope: 'authentication', key: 'second-factor', enabled: true }];
    expect(attributesToRepeat([grant(17, NEEDS_FACTOR), grant(4)])).toEqual(demanded);
    expect(attributesToRepeat([{ ...grant(17), requirements: ['must-use-mfa'] }])).toEqual(demanded);
    expect(attributesToRepeat([grant(17, NEEDS_FACTOR), grant(17)])).toEqual([]);
    expect(attributesToRepeat([grant(17, VIEW_ONLY), grant(17, MAY_DOWNLOAD)])).toEqual(
      JSON.parse(MAY_DOWNLOAD),
    );
  });
});

it('name the unmet requirements', () => {
  const all = ['must-exchange-token', 'must-use-mfa', 'must-dance'];
  expect(unmetRequirements(all, PLAIN_SESSION)).toEqual(['must-use-mfa', 'must-dance']);
  expect(unmetRequirements(all, MFA)).toEqual(['must-dance']);
});

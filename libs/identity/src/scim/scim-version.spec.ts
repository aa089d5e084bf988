import type { ScimResourceRow } from '#persistence';
import { versionOf, withMeta } from './scim-version';

const at = new Date('2026-11-30T12:00:00Z');
const row: ScimResourceRow = {
  ...{ seq: 1, id: '1d7c', kind: 'Group', name: 'Staff', externalId: null, uid: null, gid: 'Staff' },
  ...{ personName: null, createdAt: at, changedAt: at, revision: 3 },
};
const version = (content: object, change: Partial<ScimResourceRow> = {}, state = ['m-1', 'anna']): string =>
  versionOf(withMeta({ ...content }, { ...row, ...change }, state, 'https://cloud.example/scim/v2'));

describe('the version of a resource', () => {
  it('stays when another version of the program writes the same resource in another way', () => {
    expect(version({ displayName: 'Staff', id: '1d7c' })).toBe(
      version({ id: '1d7c', displayName: 'Staff', shownLater: true }),
    );
  });

  it('changes with each change by its client and by others', () => {
    const versions = [
      version({}),
      version({}, { revision: 4 }),
      version({}, {}, []),
      version({}, {}, ['m-1', 'anne']),
    ];
    expect(new Set(versions).size).toBe(versions.length);
  });
});

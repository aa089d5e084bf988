import { ldapSyncOn } from '#identity';
import { readConfig } from '#platform';
import { createTestDatabase, type TestDatabase } from '#testing';
import { group, GROUPS, person, placeOf, Slapd } from '../../libs/testing/src/rigs/slapd';

const PEOPLE_COUNT = 20_000;
const GROUP_COUNT = 500;
const OF_A_GROUP = 40;
const TIMEOUT_MS = 900_000;

const nameOf = (number: number): string => `person${String(number).padStart(5, '0')}`;
/** Each group has forty users and the next group; ten groups form a chain. */
const chained = (number: number): readonly string[] => [
  ...Array.from({ length: OF_A_GROUP }, (_, at) => nameOf(number * OF_A_GROUP + at)),
  ...(number % 10 === 9 ? [] : [`cn=group${number + 1}`]),
];

let slapd: Slapd;
let test: TestDatabase;

beforeAll(async () => {
  const people = Array.from({ length: PEOPLE_COUNT }, (_, number) => person(nameOf(number)));
  const groups = Array.from({ length: GROUP_COUNT }, (_, number) => group(`group${number}`, chained(number)));
  slapd = await Slapd.start([...people, ...groups], { lines: ['sizelimit size=500 size.prtotal=unlimited'] });
  test = await createTestDatabase();
});
afterAll(async () => {
  await slapd?.stop();
  await test.drop();
});

const syncOf = () => ldapSyncOn(test.database, readConfig(slapd.env))!;
const count = async (sql: string): Promise<unknown> =>
  (await test.database.dataSource.query<{ count: number }[]>(`SELECT count(*)::int FROM ${sql}`))[0]!.count;

describe('a directory of 20,000 people and 500 nested groups', () => {
  it(
    'is read completely, page by page',
    async () => {
      expect(await syncOf().runFully()).toMatchObject({
        ...{ people: PEOPLE_COUNT, groups: GROUP_COUNT, refused: 0, failure: null, heldBack: null },
      });
      expect(await count('user_account')).toBe(PEOPLE_COUNT);
      expect(await count(`group_member WHERE gid = 'group0'`)).toBe(10 * OF_A_GROUP);
      expect(await count(`group_member WHERE gid = 'group9'`)).toBe(OF_A_GROUP);
    },
    TIMEOUT_MS,
  );

  it(
    'is read again without writes, and its changes with few writes',
    async () => {
      const versions = `(SELECT DISTINCT xmin::text FROM user_account UNION SELECT DISTINCT xmin::text FROM group_member) v`;
      const before = await count(versions);
      expect(await syncOf().runFully()).toMatchObject({ people: PEOPLE_COUNT, heldBack: null });
      expect(await count(versions)).toBe(before);
      slapd.modify(
        `dn: cn=group9,${GROUPS}\nchangetype: modify\nadd: member\nmember: ${placeOf(nameOf(0))}\n`,
        `dn: ${placeOf(nameOf(7))}\nchangetype: modify\nreplace: cn\ncn: Another\n`,
      );
      await syncOf().runDue();
      expect(await count(`group_member WHERE uid = '${nameOf(0)}'`)).toBe(10);
      expect(await count(`user_account WHERE display_name = 'Another'`)).toBe(1);
    },
    TIMEOUT_MS,
  );

  it(
    'is held back if the server does not send everything',
    async () => {
      await slapd.halt();
      slapd.configure(['sizelimit size=500 size.prtotal=1000']);
      await slapd.resume();
      expect(await syncOf().runFully()).toMatchObject({ failure: expect.any(String) as unknown });
      expect(await count('user_account WHERE enabled')).toBe(PEOPLE_COUNT);
    },
    TIMEOUT_MS,
  );
});

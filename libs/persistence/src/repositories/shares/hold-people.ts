/**
 * Locks the accounts in parameter `people` until the new share exists. They are locked first, as in the removal of an account,
 * so that the two cannot wait for each other.
 */
export const holdPeople = (people: string): string =>
  `people AS (SELECT uid FROM user_account WHERE uid = ANY(${people}::text[]) ORDER BY uid FOR KEY SHARE)`;
export const allHeld = (people: string): string =>
  `(SELECT count(*) FROM people) = cardinality(${people}::text[])`;

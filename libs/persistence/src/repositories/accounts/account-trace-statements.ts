import { int8, nullable, text } from '../../postgres-types';
import { statement, type Statement } from '../../statement';
import { FAVORITES } from '../files/node-property.repository';

const RANGE = { uid: text, after: int8, limit: int8 };
const LAST = { last: nullable(int8) };

/** Erases the name of an account from the next rows of a table; `last` is the last checked id, null after the end. */
type Erasure = Statement<typeof RANGE, typeof LAST>;

/** The rows that were looked at, as a range: with a list of their ids, Postgres could read the whole table for each part of it. */
const lookedAt = (key: string, alias = ''): string =>
  `${alias}${key} > :after AND ${alias}${key} <= (SELECT max(${key}) FROM looked)`;

/** An erasure of `table`, in the order of its ids. */
const erasure = (table: string, change: string, condition: string): Erasure =>
  statement({
    name: `account_trace.${table}`,
    params: RANGE,
    row: LAST,
    sql: `WITH looked AS (SELECT id FROM ${table} WHERE id > :after ORDER BY id LIMIT :limit), erased AS (
     UPDATE ${table} SET ${change} WHERE ${lookedAt('id')} AND ${condition}
   ) SELECT max(id) AS last FROM looked`,
  });

const NO_AUTHOR = 'author_kind = NULL, author = NULL';
const BY_ACCOUNT = `author_kind = 'user' AND author = :uid`;

/** Tables that contain the name of an account outside of its own rows, in the order in which it is erased. */
export const ERASURES: ReadonlyMap<string, Erasure> = new Map([
  ['node', erasure('node', NO_AUTHOR, BY_ACCOUNT)],
  ['file_version', erasure('file_version', NO_AUTHOR, BY_ACCOUNT)],
  ['quarantined_content', erasure('quarantined_content', NO_AUTHOR, BY_ACCOUNT)],
  [
    'trashed_node',
    statement({
      name: 'account_trace.trashed_node',
      params: RANGE,
      row: LAST,
      sql: `WITH looked AS (SELECT node_id FROM trashed_node WHERE node_id > :after ORDER BY node_id LIMIT :limit), erased AS (
     UPDATE trashed_node SET actor = NULL WHERE ${lookedAt('node_id')} AND actor_kind = 'user' AND actor = :uid
   ) SELECT max(node_id) AS last FROM looked`,
    }),
  ],
  [
    'dead_property',
    statement({
      name: 'account_trace.dead_property',
      params: RANGE,
      row: LAST,
      sql: `WITH looked AS (SELECT node_id FROM dead_property WHERE node_id > :after GROUP BY node_id ORDER BY node_id LIMIT :limit), erased AS (
     DELETE FROM dead_property WHERE ${lookedAt('node_id')} AND namespace = '${FAVORITES}' AND name = :uid
   ) SELECT max(node_id) AS last FROM looked`,
    }),
  ],
]);

/** Lets the audit log accept this one change, which its trigger checks. */
export const ALLOW_PSEUDONYM = statement({
  name: 'account_trace.allow_pseudonym',
  params: { uid: text, pseudonym: text },
  sql: `SELECT set_config('drawbridge.erasing', jsonb_build_object('uid', :uid::text, 'pseudonym', :pseudonym::text)::text, true)`,
});

export const PSEUDONYMISE = statement({
  name: 'account_trace.audit_event',
  params: { uid: text, pseudonym: text, after: int8, limit: int8 },
  row: LAST,
  sql: `WITH looked AS (
     SELECT e.id, audit_without(e, :uid, :pseudonym) AS other FROM audit_event e WHERE e.id > :after ORDER BY e.id LIMIT :limit
   ), erased AS (
     UPDATE audit_event e SET actor = (looked.other).actor, object_id = (looked.other).object_id, address = (looked.other).address,
       detail = (looked.other).detail
     FROM looked WHERE ${lookedAt('id', 'e.')} AND e.id = looked.id AND e IS DISTINCT FROM looked.other
   ) SELECT max(id) AS last FROM looked`,
});

export const NOTE_ERASED = statement({
  name: 'account_trace.note',
  params: { uid: text, erasing: text, erasedTo: int8 },
  sql: 'UPDATE account_end SET erasing = :erasing, erased_to = :erasedTo WHERE uid = :uid',
});

import { statement } from '../../statement';
import { array, bool, type Columns, int8, nullable, text } from '../../postgres-types';

/** Below three characters there is nothing that the index could be asked for. */
const INDEXED = 'AND search_trigrams(a.search_text) @> search_trigrams(lower(:search))';

const IN_SCOPE =
  '(:within::text[] IS NULL OR EXISTS (SELECT FROM group_member m WHERE m.uid = a.uid AND m.gid = ANY(:within)))';

const USER_ROW = {
  uid: text,
  displayName: text,
  email: nullable(text),
  withinScope: bool,
};

const USER_COLUMNS = 'a.uid, a.display_name AS "displayName", a.email';

/** Users that the search names; `names`: whether names count beside ids, `idsAnywhere`: whether ids are found out of scope. */
export const EXACT_USERS = statement({
  name: 'sharee.exact_users',
  params: { search: text, within: nullable(array(text)), names: bool, idsAnywhere: bool, limit: int8 },
  row: { ...USER_ROW, byId: bool },
  sql: `SELECT * FROM (
     SELECT ${USER_COLUMNS}, ${IN_SCOPE} AS "withinScope", lower(a.uid) = lower(:search) AS "byId" FROM user_account a
     WHERE lower(a.uid) = lower(:search) OR (:names AND (lower(a.display_name) = lower(:search) OR lower(a.email) = lower(:search)))
   ) AS whole
   WHERE "withinScope" OR ("byId" AND :idsAnywhere)
   ORDER BY "byId" DESC, lower("displayName"), uid LIMIT :limit`,
});

const WITHIN = 'AND a.uid IN (SELECT m.uid FROM group_member m WHERE m.gid = ANY(:within::text[]))';

/** The search without and with WITHIN are statements of their own, so that each has its own plan. */
const partialUsers = <Params extends Columns>(kind: string, params: Params, ...conditions: string[]) =>
  statement({
    name: `sharee.partial_users_${kind}`,
    params: { search: text, limit: int8, offset: int8, ...params },
    row: USER_ROW,
    sql: `SELECT ${USER_COLUMNS}, true AS "withinScope" FROM user_account a
     WHERE strpos(a.search_text, lower(:search)) > 0 ${conditions.join(' ')}
       AND lower(a.uid) <> lower(:search) AND lower(a.display_name) <> lower(:search)
       AND lower(a.email) IS DISTINCT FROM lower(:search)
       AND NOT EXISTS (SELECT FROM user_preference p WHERE p.uid = a.uid AND p.app = 'files_sharing'
         AND p.key = 'allow_share_dialog_user_enumeration' AND p.value <> 'yes')
     ORDER BY lower(a.display_name), a.uid LIMIT :limit OFFSET :offset`,
  });

const GROUPS = { within: array(text) };

export const PARTIAL_USERS = {
  indexed: {
    anywhere: partialUsers('indexed', {}, INDEXED),
    within: partialUsers('indexed_within', GROUPS, INDEXED, WITHIN),
  },
  short: { anywhere: partialUsers('short', {}), within: partialUsers('short_within', GROUPS, WITHIN) },
};

/** Groups whose name is the search; `names`: whether other spellings count, `idsAnywhere`: whether ids are found out of scope. */
export const EXACT_GROUPS = statement({
  name: 'sharee.exact_groups',
  params: {
    search: text,
    within: nullable(array(text)),
    names: bool,
    idsAnywhere: bool,
    except: array(text),
    limit: int8,
  },
  row: { gid: text },
  sql: `SELECT a.gid FROM user_group a
   WHERE a.search_text = lower(:search) AND (a.gid = :search OR :names) AND a.gid <> ALL(:except::text[])
     AND (:within::text[] IS NULL OR a.gid = ANY(:within) OR (a.gid = :search AND :idsAnywhere))
   ORDER BY a.gid LIMIT :limit`,
});

const partialGroups = (kind: string, index: string) =>
  statement({
    name: `sharee.partial_groups_${kind}`,
    params: {
      search: text,
      within: nullable(array(text)),
      except: array(text),
      limit: int8,
      offset: int8,
    },
    row: { gid: text },
    sql: `SELECT a.gid FROM user_group a
     WHERE strpos(a.search_text, lower(:search)) > 0 ${index} AND a.search_text <> lower(:search)
       AND (:within::text[] IS NULL OR a.gid = ANY(:within)) AND a.gid <> ALL(:except::text[])
     ORDER BY a.search_text, a.gid LIMIT :limit OFFSET :offset`,
  });

export const PARTIAL_GROUPS = {
  indexed: partialGroups('indexed', INDEXED),
  short: partialGroups('short', ''),
};

const CONTACT_ROW = { cloudId: text, server: text, displayName: text, byId: bool };

/** The contacts of a user, and how the search names each. A name that is not there equals no search, not even an empty one. */
const CONTACTS = `SELECT c.remote_user || '@' || p.host_key AS "cloudId", p.host_key AS server,
     c.display_name AS "displayName", c.email, coalesce(c.person, c.remote_user) || '@' || p.host_key AS "plainId",
     lower(:search) IN (lower(c.remote_user || '@' || p.host_key), lower(c.person || '@' || p.host_key)) IS TRUE AS "byId",
     lower(:search) IN (nullif(lower(c.display_name), ''), nullif(lower(c.email), '')) IS TRUE AS "byName"
   FROM contact c JOIN peer p ON p.id = c.peer_id WHERE c.uid = :uid`;

/** `names`: whether names count beside ids. */
export const EXACT_CONTACTS = statement({
  name: 'sharee.exact_contacts',
  params: { uid: text, search: text, names: bool, limit: int8 },
  row: CONTACT_ROW,
  sql: `SELECT "cloudId", server, "displayName", "byId" FROM (${CONTACTS}) AS mine WHERE "byId" OR ("byName" AND :names)
   ORDER BY "byId" DESC, lower("displayName"), "cloudId" LIMIT :limit`,
});

/** Parts are looked for in plain ids: the encoded ones that some servers give hold any letters by chance. */
export const PARTIAL_CONTACTS = statement({
  name: 'sharee.partial_contacts',
  params: { uid: text, search: text, limit: int8, offset: int8 },
  row: CONTACT_ROW,
  sql: `SELECT "cloudId", server, "displayName", "byId" FROM (${CONTACTS}) AS mine
   WHERE NOT "byId" AND NOT "byName" AND (strpos(lower("displayName"), lower(:search)) > 0
     OR strpos(lower(email), lower(:search)) > 0 OR strpos(lower("plainId"), lower(:search)) > 0)
   ORDER BY lower("displayName"), "cloudId" LIMIT :limit OFFSET :offset`,
});

/** Whether one of two accounts shares something with the other, and was not declined. */
export const SHARE_WITH_EACH_OTHER = statement({
  name: 'sharee.share_with_each_other',
  params: { uid: text, other: text },
  row: { together: bool },
  sql: `SELECT EXISTS (SELECT FROM share_recipient r JOIN share s ON s.id = r.share_id
       WHERE r.uid = :uid AND r.state <> 2 AND s.trashed_at IS NULL AND :other IN (s.owner_uid, s.initiator_uid))
     OR EXISTS (SELECT FROM share_recipient r JOIN share s ON s.id = r.share_id
       WHERE r.uid = :other AND r.state <> 2 AND s.trashed_at IS NULL AND :uid IN (s.owner_uid, s.initiator_uid)) AS together`,
});

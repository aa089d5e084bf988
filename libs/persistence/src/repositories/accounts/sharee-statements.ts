import type { FoundContact, FoundUser } from '#sharing';
import { statement } from '../../statement';
import { array, bool, int8, jsonb, nullable, text } from '../../postgres-types';

/** The index has no entries for fewer than three characters. */
const INDEXED = 'AND search_trigrams(a.search_text) @> q.trigrams';

const IN_SCOPE =
  '(q."usersWithin" IS NULL OR EXISTS (SELECT FROM group_member m WHERE m.uid = a.uid AND m.gid = ANY(q."usersWithin")))';

const USER_COLUMNS = 'a.uid, a.display_name AS "displayName", a.email';

/** Users that the search names exactly. */
const EXACT_USERS = `SELECT * FROM (
     SELECT ${USER_COLUMNS}, ${IN_SCOPE} AS "withinScope", lower(a.uid) = q.folded AS "byId" FROM user_account a
     WHERE lower(a.uid) = q.folded
       OR (q."userNames" AND (lower(a.display_name) = q.folded OR lower(a.email) = q.folded))
     OFFSET 0
   ) AS whole
   WHERE "withinScope" OR ("byId" AND q."userIdsAnywhere")
   ORDER BY "byId" DESC, lower("displayName"), uid LIMIT q.most`;

const WITHIN = 'AND a.uid IN (SELECT m.uid FROM group_member m WHERE m.gid = ANY(q."usersWithin"))';

const partialUsers = (
  ...conditions: string[]
): string => `SELECT ${USER_COLUMNS}, true AS "withinScope" FROM user_account a
     WHERE strpos(a.search_text, q.folded) > 0 ${conditions.join(' ')}
       AND lower(a.uid) <> q.folded AND lower(a.display_name) <> q.folded
       AND lower(a.email) IS DISTINCT FROM q.folded
       AND NOT EXISTS (SELECT FROM user_preference p WHERE p.uid = a.uid AND p.app = 'files_sharing'
         AND p.key = 'allow_share_dialog_user_enumeration' AND p.value <> 'yes')
     ORDER BY lower(a.display_name), a.uid LIMIT q.most OFFSET q.skipped`;

/** Groups whose name equals the search, first the one with this id: ids of groups are compared with regard to case. */
const EXACT_GROUPS = `SELECT a.gid FROM user_group a
   WHERE a.search_text = q.folded AND (a.gid = q.search OR q."groupNames") AND a.gid <> ALL(q."exceptGroups")
     AND (q."groupsWithin" IS NULL OR a.gid = ANY(q."groupsWithin") OR (a.gid = q.search AND q."groupIdsAnywhere"))
   ORDER BY a.gid = q.search DESC, a.gid LIMIT q.most`;

const partialGroups = (index: string): string => `SELECT a.gid FROM user_group a
     WHERE strpos(a.search_text, q.folded) > 0 ${index} AND a.search_text <> q.folded
       AND (q."groupsWithin" IS NULL OR a.gid = ANY(q."groupsWithin")) AND a.gid <> ALL(q."exceptGroups")
     ORDER BY a.search_text, a.gid LIMIT q.most OFFSET q.skipped`;

/** The contacts of a user, with the name by which the search matches each. A missing name matches no search, not even an empty one. */
const CONTACTS = `SELECT c.remote_user || '@' || p.host_key AS "cloudId", p.host_key AS server,
     c.display_name AS "displayName", c.email, coalesce(c.person, c.remote_user) || '@' || p.host_key AS "plainId",
     q.folded IN (lower(c.remote_user || '@' || p.host_key), lower(c.person || '@' || p.host_key)) IS TRUE AS "byId",
     q.folded IN (nullif(lower(c.display_name), ''), nullif(lower(c.email), '')) IS TRUE AS "byName", '' AS organisation, true AS "isVerified"
   FROM contact c JOIN peer p ON p.id = c.peer_id WHERE c.uid = q.uid`;

/** The same with people in address books of trusted servers who are none of them. */
const contactsAndCards = (index: string): string => `${CONTACTS}
   UNION ALL
   SELECT a.cloud_id, p.host_key, a.display_name, a.email, a.canonical,
     q.folded IN (lower(a.cloud_id), lower(a.canonical)),
     q.folded IN (nullif(lower(a.display_name), ''), nullif(lower(a.email), '')) IS TRUE, a.organisation, false
   FROM partner_address_card a JOIN peer p ON p.id = a.peer_id JOIN peer host ON host.id = p.host_id
   WHERE host.trust = 'trusted' AND p.alias_of IS NULL AND a.search_text IS NOT NULL ${index}
     AND NOT EXISTS (SELECT FROM contact c WHERE c.uid = q.uid AND c.peer_id = a.peer_id
       AND coalesce(c.person, c.remote_user) || '@' || p.host_key = a.canonical)`;

const CONTACT_COLUMNS = '"cloudId", server, "displayName", email, organisation, "isVerified", "byId"';

const exactContacts = (known: string): string => `SELECT ${CONTACT_COLUMNS} FROM (${known}) AS mine
   WHERE "byId" OR ("byName" AND q."contactNames")
   ORDER BY "byId" DESC, lower("displayName"), "cloudId" LIMIT q.most`;

/** Parts are searched in plain ids only: the encoded ids of some servers contain any letters by chance. */
const partialContacts = (known: string): string => `SELECT ${CONTACT_COLUMNS} FROM (${known}) AS mine
   WHERE NOT "byId" AND NOT "byName" AND (strpos(lower("displayName"), q.folded) > 0
     OR strpos(lower(email), q.folded) > 0 OR strpos(lower("plainId"), q.folded) > 0)
   ORDER BY lower("displayName"), "cloudId" LIMIT q.most OFFSET q.skipped`;

/** Rows of a part of the search as one value. The part does not run unless it is wanted. */
const listed = (wanted: string, sql: string): string =>
  `(SELECT jsonb_agg(one) FROM (${sql}) AS one WHERE ${wanted})`;

/**
 * The values of the search, as one row: each of them is evaluated once. The offset hides them from the planner, so that a connection
 * plans the search for its first uses only, as with `plannedOnce`.
 */
const asked = (
  trigrams: string,
): string => `(SELECT :search::text AS search, lower(:search) AS folded${trigrams},
     :limit::bigint AS most, :offset::bigint AS skipped, :uid::text AS uid,
     :exactUsers::boolean AS "exactUsers", :partsUsers::boolean AS "partsUsers", :usersWithin::text[] AS "usersWithin",
     :userNames::boolean AS "userNames", :userIdsAnywhere::boolean AS "userIdsAnywhere",
     :exactGroups::boolean AS "exactGroups", :partsGroups::boolean AS "partsGroups", :groupsWithin::text[] AS "groupsWithin",
     :groupNames::boolean AS "groupNames", :groupIdsAnywhere::boolean AS "groupIdsAnywhere", :exceptGroups::text[] AS "exceptGroups",
     :exactContacts::boolean AS "exactContacts", :partsContacts::boolean AS "partsContacts", :contactNames::boolean AS "contactNames"
   OFFSET 0)`;

/**
 * The whole search in one round trip. Flags say whether names match beside ids (`...Names`), whether ids match out of scope
 * (`...IdsAnywhere`), and which parts are wanted (`exact...`, `parts...`). There are separate statements with and
 * without groups of users, with and without address books, and for searches too short for the index, so that each has its own plan: to
 * start a plan takes longer than to look up a whole id.
 */
const search = (kind: string, index: string, within: string, known: string) =>
  statement({
    name: `sharee.search_${kind}`,
    params: {
      ...{ search: text, limit: int8, offset: int8, uid: text },
      ...{
        exactUsers: bool,
        partsUsers: bool,
        usersWithin: nullable(array(text)),
        userNames: bool,
        userIdsAnywhere: bool,
      },
      ...{
        exactGroups: bool,
        partsGroups: bool,
        groupsWithin: nullable(array(text)),
        groupNames: bool,
        groupIdsAnywhere: bool,
      },
      ...{ exceptGroups: array(text), exactContacts: bool, partsContacts: bool, contactNames: bool },
    },
    row: {
      ...{ usersExact: nullable(jsonb<FoundUser[]>()), usersParts: nullable(jsonb<FoundUser[]>()) },
      ...{
        groupsExact: nullable(jsonb<{ gid: string }[]>()),
        groupsParts: nullable(jsonb<{ gid: string }[]>()),
      },
      ...{
        contactsExact: nullable(jsonb<FoundContact[]>()),
        contactsParts: nullable(jsonb<FoundContact[]>()),
      },
    },
    sql: `SELECT ${listed('q."exactUsers"', EXACT_USERS)} AS "usersExact", ${listed('q."partsUsers"', partialUsers(index, within))} AS "usersParts",
     ${listed('q."exactGroups"', EXACT_GROUPS)} AS "groupsExact", ${listed('q."partsGroups"', partialGroups(index))} AS "groupsParts",
     ${listed('q."exactContacts"', exactContacts(known))} AS "contactsExact", ${listed('q."partsContacts"', partialContacts(known))} AS "contactsParts"
   FROM ${asked(index === '' ? '' : ', search_trigrams(lower(:search)) AS trigrams')} AS q`,
  });

const ofKind = (kind: string, index: string, within: string) => ({
  withCards: search(kind, index, within, contactsAndCards(index)),
  withoutCards: search(`${kind}_without_cards`, index, within, CONTACTS),
});

export const SEARCH = {
  indexed: { anywhere: ofKind('indexed', INDEXED, ''), within: ofKind('indexed_within', INDEXED, WITHIN) },
  short: { anywhere: ofKind('short', '', ''), within: ofKind('short_within', '', WITHIN) },
};

/** Whether one of two accounts shares something with the other, who did not decline it. */
export const SHARE_WITH_EACH_OTHER = statement({
  name: 'sharee.share_with_each_other',
  params: { uid: text, other: text },
  row: { together: bool },
  sql: `SELECT EXISTS (SELECT FROM share_recipient r JOIN share s ON s.id = r.share_id
       WHERE r.uid = :uid AND r.state <> 2 AND s.trashed_at IS NULL AND :other IN (s.owner_uid, s.initiator_uid))
     OR EXISTS (SELECT FROM share_recipient r JOIN share s ON s.id = r.share_id
       WHERE r.uid = :other AND r.state <> 2 AND s.trashed_at IS NULL AND :uid IN (s.owner_uid, s.initiator_uid)) AS together`,
});

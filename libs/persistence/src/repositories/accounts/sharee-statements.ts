import { statement } from '../../statement';

/** Below three characters there is nothing that the index could be asked for. */
const INDEXED = 'AND search_trigrams(a.search_text) @> search_trigrams(lower($1))';

const IN_SCOPE =
  '($2::text[] IS NULL OR EXISTS (SELECT FROM group_member m WHERE m.uid = a.uid AND m.gid = ANY($2)))';

export interface UserRow {
  readonly uid: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly withinScope: boolean;
}

const USER_COLUMNS = 'a.uid, a.display_name AS "displayName", a.email';

/** $2 groups of the scope or null, $3 whether names count beside ids, $4 whether ids are found out of scope, $5 limit. */
export const EXACT_USERS = statement<UserRow>(
  'sharee.exact_users',
  `SELECT * FROM (
     SELECT ${USER_COLUMNS}, ${IN_SCOPE} AS "withinScope", lower(a.uid) = lower($1) AS "byId" FROM user_account a
     WHERE lower(a.uid) = lower($1) OR ($3 AND (lower(a.display_name) = lower($1) OR lower(a.email) = lower($1)))
   ) AS whole
   WHERE "withinScope" OR ("byId" AND $4)
   ORDER BY "byId" DESC, lower("displayName"), uid LIMIT $5`,
);

const WITHIN = 'AND a.uid IN (SELECT m.uid FROM group_member m WHERE m.gid = ANY($4::text[]))';

/** Search, limit, offset and, with WITHIN, groups: each kind is a statement of its own, so that each has its own plan. */
const partialUsers = (kind: string, ...conditions: string[]) =>
  statement<UserRow>(
    `sharee.partial_users_${kind}`,
    `SELECT ${USER_COLUMNS}, true AS "withinScope" FROM user_account a
     WHERE strpos(a.search_text, lower($1)) > 0 ${conditions.join(' ')}
       AND lower(a.uid) <> lower($1) AND lower(a.display_name) <> lower($1)
       AND lower(a.email) IS DISTINCT FROM lower($1)
       AND NOT EXISTS (SELECT FROM user_preference p WHERE p.uid = a.uid AND p.app = 'files_sharing'
         AND p.key = 'allow_share_dialog_user_enumeration' AND p.value <> 'yes')
     ORDER BY lower(a.display_name), a.uid LIMIT $2 OFFSET $3`,
  );

export const PARTIAL_USERS = {
  indexed: {
    anywhere: partialUsers('indexed', INDEXED),
    within: partialUsers('indexed_within', INDEXED, WITHIN),
  },
  short: { anywhere: partialUsers('short'), within: partialUsers('short_within', WITHIN) },
};

/** $2 groups of the scope or null, $3 whether other spellings count, $4 whether ids are found out of scope, $5 left out. */
export const EXACT_GROUPS = statement<{ gid: string }>(
  'sharee.exact_groups',
  `SELECT a.gid FROM user_group a
   WHERE a.search_text = lower($1) AND (a.gid = $1 OR $3) AND a.gid <> ALL($5::text[])
     AND ($2::text[] IS NULL OR a.gid = ANY($2) OR (a.gid = $1 AND $4))
   ORDER BY a.gid LIMIT $6`,
);

const partialGroups = (kind: string, index: string) =>
  statement<{ gid: string }>(
    `sharee.partial_groups_${kind}`,
    `SELECT a.gid FROM user_group a
     WHERE strpos(a.search_text, lower($1)) > 0 ${index} AND a.search_text <> lower($1)
       AND ($2::text[] IS NULL OR a.gid = ANY($2)) AND a.gid <> ALL($3::text[])
     ORDER BY a.search_text, a.gid LIMIT $4 OFFSET $5`,
  );

export const PARTIAL_GROUPS = {
  indexed: partialGroups('indexed', INDEXED),
  short: partialGroups('short', ''),
};

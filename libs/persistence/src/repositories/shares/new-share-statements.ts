import { array, bool, bytea, date, int2, int8, nullable, text } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { BARE_PLACE_ROW, FOUND_PLACE, PATH_OF_USER } from '../files/place-statements';
import { allHeld, holdPeople } from './hold-people';
import { ONCE_PER_RECIPIENT } from './kind-sql';
import { COVERAGE_AS_JSON } from './coverage-sql';

/** Parameters of a new share with a user or a group, except for its node, its owner and its permissions. */
const RECIPIENT_SHARE = {
  type: int2,
  initiatorUid: text,
  recipient: text,
  fileTarget: text,
  initialState: int2,
  expiresOn: nullable(date),
  attributes: nullable(text),
  note: nullable(text),
  people: array(text),
  acting: text,
};

/** Parameters of a new link, with the same exceptions. */
const LINK_SHARE = {
  initiatorUid: text,
  fileTarget: text,
  expiresOn: nullable(date),
  attributes: nullable(text),
  note: nullable(text),
  tokenHmac: bytea,
  tokenEnc: bytea,
  passwordHash: nullable(text),
  name: nullable(text),
  people: array(text),
  acting: text,
};

/** In a query of its own, so that a plan does not depend on the number of people, and is kept. */
const PEOPLE = '(SELECT :people::text[])';

/** The node of a new share: SQL of its columns, and the query that has them, if there is one. */
interface NodeSql {
  readonly id: string;
  readonly ownerUid: string;
  readonly permissions: string;
  readonly from?: string;
}

const GIVEN_NODE: NodeSql = {
  id: ':nodeId::bigint',
  ownerUid: ':ownerUid::text',
  permissions: ':permissions::smallint',
};
const GIVEN_NODE_PARAMS = { nodeId: int8, ownerUid: text, permissions: int2 };

/**
 * Queries of a WITH clause: `checked` tells whether account and group are there, if there is a node; `made` has the new share, and no row if
 * the recipient already has one.
 */
const makeRecipientShare = ({
  id,
  ownerUid,
  permissions,
  from,
}: NodeSql): string => `${holdPeople(PEOPLE)}, held AS (
     SELECT gid FROM user_group WHERE :type::smallint = 1 AND gid = :recipient FOR KEY SHARE
   ), checked AS (
     SELECT ${allHeld(PEOPLE)} AND (:type <> 1 OR EXISTS (SELECT FROM held)) AS there ${from ? `FROM ${from}` : ''}
   ), made AS (
     INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target,
       initial_state, expires_on, attributes, note)
     SELECT :type::smallint, ${id}, ${ownerUid}, :initiatorUid::text, :recipient::text, :recipient, ${permissions}, :fileTarget::text, :initialState::smallint, :expiresOn::date, :attributes::text, :note::text
     FROM checked ${from ? `CROSS JOIN ${from}` : ''} WHERE there AND ${ACTING}
     ON CONFLICT (node_id, share_type, recipient_canonical) WHERE share_type IN ${ONCE_PER_RECIPIENT} DO NOTHING
     RETURNING id, created_at, recipient_canonical
   ), placed AS (
     INSERT INTO share_recipient (share_id, uid, state) SELECT id, recipient_canonical, :initialState::smallint FROM made WHERE :type = 0
   )`;

/** The same for a link. */
const makeLink = ({
  id,
  ownerUid,
  permissions,
  from,
}: NodeSql): string => `${holdPeople(PEOPLE)}, checked AS (
     SELECT ${allHeld(PEOPLE)} AS there ${from ? `FROM ${from}` : ''}
   ), made AS (
     INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, permissions, file_target, expires_on, attributes, note,
       token_hmac, token_enc, password_hash, name)
     SELECT 3, ${id}, ${ownerUid}, :initiatorUid::text, ${permissions}, :fileTarget::text, :expiresOn::date, :attributes::text, :note::text, :tokenHmac::bytea, :tokenEnc::bytea, :passwordHash::text,
       :name::text
     FROM checked ${from ? `CROSS JOIN ${from}` : ''} WHERE there AND ${ACTING}
     RETURNING id, created_at
   )`;

const MADE =
  'made.id AS "shareId", floor(extract(epoch FROM made.created_at))::bigint AS stime, NOT checked.there AS gone';

/** A new share. No id: the recipient already has the node or, with `gone`, an account or the group was removed in the meantime. */
const MADE_ROW = { shareId: nullable(int8), stime: nullable(int8), gone: bool };

/** Writes a share and a personal row in one statement. A removed node violates its foreign key. */
export const INSERT = statement({
  name: 'share.insert',
  params: { ...GIVEN_NODE_PARAMS, ...RECIPIENT_SHARE },
  row: MADE_ROW,
  sql: `WITH ${makeRecipientShare(GIVEN_NODE)} SELECT ${MADE} FROM checked LEFT JOIN made ON true`,
});

export const INSERT_LINK = statement({
  name: 'share.insert_link',
  params: { ...GIVEN_NODE_PARAMS, ...LINK_SHARE },
  row: MADE_ROW,
  sql: `WITH ${makeLink(GIVEN_NODE)} SELECT ${MADE} FROM checked LEFT JOIN made ON true`,
});

const PATH_PARAMS = { ...PATH_OF_USER, filePermissions: nullable(int2), folderPermissions: nullable(int2) };

/** A place with the share that was made of its node; `shareId`, `stime` and `gone` are null if it is not shared by its path. */
const PLACE_AND_SHARE_ROW = {
  ...BARE_PLACE_ROW,
  shareId: nullable(int8),
  stime: nullable(int8),
  gone: nullable(bool),
  /** The ways in which the user has a node of another account of this instance; null for none, and for other nodes. */
  coverage: COVERAGE_AS_JSON,
};

/** The node at a path, if it is the user's own, with permissions for its kind, and without mounts below it. A pending placement may change the path. */
const OWN_NODE = `own AS (
     SELECT found.id, CASE found.kind WHEN 'file' THEN :filePermissions::smallint ELSE :folderPermissions::smallint END AS permissions FROM found
     WHERE found.id IS NOT NULL AND found."mountTarget" IS NULL AND found."mountDigest" IS NULL AND NOT found."isUnsettled"
   ), sharable AS (
     SELECT * FROM own WHERE permissions IS NOT NULL
   )`;
const NODE_OF_PATH: NodeSql = {
  id: 'sharable.id',
  ownerUid: ':uid::text',
  permissions: 'sharable.permissions',
  from: 'sharable',
};
const shareAndPlace = (make: string): string => `WITH ${FOUND_PLACE}, ${OWN_NODE}, ${make}
   SELECT found.*, ${MADE}, CASE WHEN found.id IS NOT NULL AND found."mountTarget" IS NOT NULL AND found."placeReceivedShareId" IS NULL AND NOT found."isUnsettled"
     THEN coverage_of(:uid, found.id) END AS coverage
   FROM found LEFT JOIN checked ON true LEFT JOIN made ON true`;

/** Looks up a path of a user, and writes a share of its node, in one statement. */
export const INSERT_BY_PATH = statement({
  name: 'share.insert_by_path',
  params: { ...PATH_PARAMS, ...RECIPIENT_SHARE },
  row: PLACE_AND_SHARE_ROW,
  sql: shareAndPlace(makeRecipientShare(NODE_OF_PATH)),
});

export const INSERT_LINK_BY_PATH = statement({
  name: 'share.insert_link_by_path',
  params: { ...PATH_PARAMS, ...LINK_SHARE },
  row: PLACE_AND_SHARE_ROW,
  sql: shareAndPlace(makeLink(NODE_OF_PATH)),
});

import { INVALID_PATH, type DavFailureCode, type FailedCondition, type TreeFailureCode } from '#storage';

/** Answer to a failure: HTTP status, and the exception that deployed servers name in the body. */
export interface DavAnswer {
  readonly status: number;
  readonly exception: string;
  /** Element of RFC 4918 (section 16) that names the failed condition. */
  readonly condition?: FailedCondition;
}

const sabre = (status: number, name: string, condition?: string): DavAnswer => ({
  status,
  exception: `Sabre\\DAV\\Exception\\${name}`,
  ...(condition === undefined ? {} : { condition: { name: condition } }),
});

export const UNAVAILABLE = sabre(503, 'ServiceUnavailable');
export const NO_ROOM = sabre(507, 'InsufficientStorage');

/** Seconds after which a failed request may work. */
export const RETRY_AFTER_FAILURE_SECONDS = 60;

/** The one mapping from failures of the tree to HTTP statuses. */
export const TREE_ANSWERS: Readonly<Record<TreeFailureCode, DavAnswer>> = {
  'not-found': sabre(404, 'NotFound'),
  'parent-missing': sabre(409, 'Conflict'),
  exists: sabre(405, 'MethodNotAllowed'),
  'is-folder': sabre(409, 'Conflict'),
  forbidden: sabre(403, 'Forbidden'),
  'view-only': sabre(403, 'Forbidden'),
  'second-factor-needed': sabre(403, 'Forbidden'),
  'account-needed': sabre(403, 'Forbidden'),
  'name-refused': { status: 400, exception: INVALID_PATH },
  'name-blacklisted': sabre(403, 'Forbidden'),
  'path-too-long': sabre(400, 'BadRequest'),
  'too-many-entries': sabre(403, 'Forbidden'),
  'quota-exceeded': sabre(507, 'InsufficientStorage', 'quota-not-exceeded'),
  'too-many-nodes': NO_ROOM,
  'too-many-uploads': NO_ROOM,
  'precondition-failed': sabre(412, 'PreconditionFailed'),
  overlapping: sabre(409, 'Conflict'),
  'content-mismatch': sabre(400, 'BadRequest'),
  infected: sabre(403, 'Forbidden'),
  unscannable: { status: 413, exception: 'OCA\\DAV\\Connector\\Sabre\\Exception\\EntityTooLarge' },
  // Clients would take ServiceUnavailable for maintenance, and end the whole run instead of leaving out one file.
  'scanner-unavailable': { status: 503, exception: 'OCP\\Files\\StorageNotAvailableException' },
  'changed-meanwhile': sabre(409, 'Conflict'),
  locked: sabre(423, 'Locked'),
  'lock-elsewhere': sabre(409, 'LockTokenMatchesRequestUri', 'lock-token-matches-request-uri'),
  'no-such-lock': sabre(412, 'PreconditionFailed', 'lock-token-matches-request-uri'),
  'too-many-locks': NO_ROOM,
  unavailable: sabre(503, 'ServiceUnavailable'),
};

/** The same mapping for breaches of the protocol. */
export const DAV_ANSWERS: Readonly<Record<DavFailureCode, DavAnswer>> = {
  'bad-request': sabre(400, 'BadRequest'),
  'not-found': sabre(404, 'NotFound'),
  forbidden: sabre(403, 'Forbidden'),
  'method-not-allowed': sabre(405, 'MethodNotAllowed'),
  'precondition-failed': sabre(412, 'PreconditionFailed'),
  'body-too-large': sabre(413, 'BadRequest'),
  'checksum-mismatch': sabre(460, 'BadRequest'),
  'unsupported-media-type': sabre(415, 'UnsupportedMediaType'),
  'range-not-satisfiable': sabre(416, 'RequestedRangeNotSatisfiable'),
  'not-implemented': sabre(501, 'NotImplemented'),
  'finite-depth': sabre(403, 'Forbidden', 'propfind-finite-depth'),
};

/** Used for statuses that the framework itself decides. */
export function answerOfStatus(status: number): DavAnswer {
  if (status === 404) return sabre(404, 'NotFound');
  return status < 500 ? sabre(status, 'BadRequest') : { status: 500, exception: 'InternalServerError' };
}

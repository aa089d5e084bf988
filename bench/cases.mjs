// The cases: each names its request, its user, and the part of the baseline's speed that is its aim.
import { ACTORS, forgetCreated, PASSWORD, sharesToCreate, sharesToDelete } from './seed.mjs';

export const SHARES = '/ocs/v2.php/apps/files_sharing/api/v1/shares';
const CAPABILITIES = '/ocs/v2.php/cloud/capabilities';

/** The Authorization header of an account. */
export const authorization = (uid) => `Basic ${Buffer.from(`${uid}:${PASSWORD}`).toString('base64')}`;

/** More than any server here deletes per second. */
const DELETES_PER_SECOND = 6_000;

/** A request that changes nothing. @param {string | ((database: import('pg').Client) => Promise<string>)} where its path */
export const read = (name, format, aim, uid, where) => ({
  case: name,
  format,
  aim,
  async prepare(database) {
    const path = typeof where === 'string' ? where : await where(database);
    return {
      method: 'GET',
      path: `${path}${path.includes('?') ? '&' : '?'}format=${format}`,
      headers: { authorization: authorization(uid) },
    };
  },
});

/** The path of the first share of an account. */
export const firstShareOf = (uid) => async (database) => {
  const first = await database.query('SELECT min(id) AS id FROM share WHERE initiator_uid = $1', [uid]);
  return `${SHARES}/${first.rows[0].id}`;
};

const form = {
  authorization: authorization(ACTORS.creator.uid),
  'content-type': 'application/x-www-form-urlencoded',
};

/** @param {import('pg').Client} database @param {number} seconds length of a measurement */
async function prepareDelete(database, seconds) {
  const ids = await sharesToDelete(database, Math.ceil(seconds * DELETES_PER_SECOND));
  const next = () => ({ path: `${SHARES}/${ids.pop() ?? 'none-left'}?format=json` });
  return { method: 'DELETE', headers: { authorization: form.authorization }, next };
}

/** Counts through all measurements, so that two requests never create the same share. */
const toCreate = sharesToCreate();

function prepareCreate() {
  const next = () => {
    const { path, shareWith } = toCreate.next().value;
    return { body: String(new URLSearchParams({ path, shareType: '0', shareWith })) };
  };
  return { method: 'POST', path: `${SHARES}?format=json`, headers: form, next };
}

/**
 * `prepare` is called before each measurement, with the database and the length in seconds, and returns the request for
 * measure(); `forget` then deletes the rows of the measurement.
 */
export const SHARE_CASES = [
  read('capabilities', 'json', 0.8, ACTORS.lister.uid, CAPABILITIES),
  read('capabilities', 'xml', 0.8, ACTORS.lister.uid, CAPABILITIES),
  read('one share', 'json', 0.75, ACTORS.lister.uid, firstShareOf(ACTORS.lister.uid)),
  read('list of 100', 'json', 0.85, ACTORS.lister.uid, SHARES),
  read('list of 100', 'xml', 0.85, ACTORS.lister.uid, SHARES),
  read('shared_with_me of 100', 'json', 0.85, ACTORS.receiver.uid, `${SHARES}?shared_with_me=true`),
  { case: 'create', format: 'json', aim: 0.75, forget: forgetCreated, prepare: prepareCreate },
  { case: 'delete', format: 'json', aim: 0.75, forget: forgetCreated, prepare: prepareDelete },
  // The last case: its replies of more than a megabyte decide how much memory the process keeps.
  read('list of 2000', 'json', 0.85, ACTORS.hoarder.uid, SHARES),
];

/**
 * The smallest part of the speed of bare node:http that the baseline must reach (16 connections); below it the ratios prove
 * nothing.
 */
export const SANITY = [
  { case: 'one share', format: 'json', least: 0.16 },
  { case: 'list of 100', format: 'json', least: 0.018 },
];

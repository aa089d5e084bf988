// Cases with 100,000 accounts: groups, links, the search for recipients, a chain of reshares.
import { authorization, firstShareOf, read, SHARES } from './cases.mjs';
import { CROWD } from './seed.mjs';
import {
  CHAIN,
  CHAIN_FILES,
  crowdUids,
  DIRECTORY_ACTORS,
  forgetSharesOf,
  LARGE,
  RESHARER,
  SMALL,
} from './seed-directory.mjs';

const SHAREES = '/ocs/v2.php/apps/files_sharing/api/v1/sharees';
const SEARCHES = 256;

/** Shared by all measurements, so that two requests never create the same share. */
function* endlessFiles(uid, count) {
  for (let n = 0; ; n++) yield `/${uid}-${1 + (n % count)}.txt`;
}

function* endlessReshares() {
  for (let n = 0; ; n++) {
    const file = 1 + (n % CHAIN_FILES);
    yield { path: `/${CHAIN[0]}-${file}.txt`, shareWith: `user${1 + (Math.floor(n / CHAIN_FILES) % CROWD)}` };
  }
}

const create = (name, uid, nextBody, aim = 0.65) => ({
  case: name,
  format: 'json',
  aim,
  forget: (database) => forgetSharesOf(database, uid),
  prepare: () => ({
    method: 'POST',
    path: `${SHARES}?format=json`,
    headers: {
      authorization: authorization(uid),
      'content-type': 'application/x-www-form-urlencoded',
    },
    next: () => ({ body: String(new URLSearchParams(nextBody())) }),
  }),
});

function createForGroup(name, { gid }, files) {
  const next = () => ({ path: files.next().value, shareType: '1', shareWith: gid });
  return create(name, DIRECTORY_ACTORS.grouper.uid, next);
}

function search(name, terms) {
  let sent = 0;
  const pathOf = (term) => `${SHAREES}?search=${term}&itemType=file&perPage=50&format=json`;
  const prepare = () => ({
    method: 'GET',
    path: pathOf(terms[0]),
    headers: { authorization: authorization(DIRECTORY_ACTORS.searcher.uid) },
    next: () => ({ path: pathOf(terms[sent++ % terms.length]) }),
  });
  return { case: name, format: 'json', aim: 0.65, prepare };
}

function groupCases(files) {
  const pair = (make) => [make(SMALL), make(LARGE)];
  const shares = ({ members }) => `list of 100 group shares, group of ${members}`;
  const received = ({ members }) => `shared_with_me of 100, group of ${members}`;
  return [
    ...pair((group) => read(shares(group), 'json', 0.85, group.owner, SHARES)),
    ...pair((group) => read(received(group), 'json', 0.85, group.member, `${SHARES}?shared_with_me=true`)),
    ...pair((group) => createForGroup(`create for a group of ${group.members}`, group, files)),
  ];
}

/** Pairs of cases with the same expected cost, for groups of any size. */
export const GROUP_PAIRS = [
  'list of 100 group shares, group of',
  'shared_with_me of 100, group of',
  'create for a group of',
].map((name) => ({
  name: `${name} ${LARGE.members} / ${SMALL.members}`,
  small: `${name} ${SMALL.members}`,
  large: `${name} ${LARGE.members}`,
}));

const { grouper, linker } = DIRECTORY_ACTORS;
const ids = crowdUids(SEARCHES);
const partsOfIds = ids.map((uid) => uid.slice(0, 3));
const filesToLink = endlessFiles(linker.uid, linker.files);
const reshares = endlessReshares();

/** The same as SHARE_CASES, with the data of seed-directory.mjs. */
export const DIRECTORY_CASES = [
  search('sharees, three characters', partsOfIds),
  search('sharees, a whole id', ids),
  read('fifth of a chain of reshares', 'json', 0.65, RESHARER, firstShareOf(RESHARER)),
  create('create the fifth of a chain', RESHARER, () => ({ ...reshares.next().value, shareType: '0' })),
  create('create a link', linker.uid, () => ({ path: filesToLink.next().value, shareType: '3' }), 0.75),
  ...groupCases(endlessFiles(grouper.uid, grouper.files)),
];

// The statements that requests and workers run all the time, with values of the probe accounts: equal work at every size.

const TYPES = [0, 1, 3, 6];
const FIRST = { afterType: -1, afterId: 0, limit: 501 };
/** Received shares of the account whose list is read. */
const RECEIVED_SHARES = 20;
const MD5 = (text) => `md5(${text})::uuid`;

/** Ids of rows for the values of the statements. @param {import('pg').Client} client */
async function known(client) {
  const one = async (sql) => (await client.query(sql)).rows[0];
  const mine = await one(
    `SELECT s.id, node_id, n.path, ${MD5('n.path')} AS hash FROM share s JOIN node n ON n.id = node_id
     WHERE initiator_uid = 'lister' ORDER BY s.id OFFSET 50 LIMIT 1`,
  );
  const got = await one(
    "SELECT node_id FROM share WHERE recipient_canonical = 'receiver' ORDER BY id LIMIT 1",
  );
  const link = await one('SELECT id, token_hmac FROM share WHERE share_type = 3 ORDER BY id LIMIT 1');
  const offer = await one('SELECT token_hmac FROM share WHERE share_type = 6 ORDER BY id LIMIT 1');
  const taken = await one(
    `SELECT r.id, peer_id, host_key, provider_id, token_hmac FROM received_share r JOIN peer p ON p.id = peer_id
     WHERE state = 'accepted' ORDER BY r.id LIMIT 1`,
  );
  const recipient = await one(
    `SELECT recipient_uid AS uid FROM received_share WHERE state IN ('accepted', 'pending')
     GROUP BY recipient_uid ORDER BY abs(count(*) - ${RECEIVED_SHARES}), recipient_uid LIMIT 1`,
  );
  const password = await one('SELECT secret_hash FROM app_password ORDER BY id LIMIT 1');
  const root = await one("SELECT id, storage_id FROM node WHERE owner_uid = 'lister' AND parent_id IS NULL");
  const free = await one(
    `SELECT id, path, ${MD5('path')} AS hash FROM node n WHERE owner_uid = 'lister' AND kind = 'file'
       AND NOT EXISTS (SELECT FROM share s WHERE s.node_id = n.id AND s.recipient_canonical = 'quiet') LIMIT 1`,
  );
  const folder = await one(`SELECT ${MD5("''")} AS hash`);
  const messages = (state) =>
    client.query('SELECT id FROM outbox_message WHERE state = $1 ORDER BY id LIMIT 50', [state]);
  const [waiting, queued] = [await messages('pending'), await messages('queued')];
  const peers = await client.query('SELECT DISTINCT peer_id FROM outbox_message ORDER BY peer_id LIMIT 10');
  const nodes = await client.query("SELECT node_id FROM share WHERE initiator_uid = 'lister' LIMIT 100");
  const ids = (rows, key) => rows.map((row) => Number(row[key]));
  return {
    mine,
    got,
    link,
    offer,
    taken,
    recipient,
    password,
    root,
    free,
    folder,
    waiting: ids(waiting.rows, 'id'),
    queued: ids(queued.rows, 'id'),
    peers: ids(peers.rows, 'peer_id'),
    nodes: ids(nodes.rows, 'node_id'),
  };
}

const PART = { uid: 'lister', types: TYPES, ...FIRST };
const OWN = { ...PART, alsoOthersOfMine: true };
const RECEIVED = { uid: 'receiver', types: TYPES, ...FIRST };

/** Statements of requests about shares. */
const sharing = ({ mine, got, root, free }) => [
  ['share.find', { id: mine.id, viewerUid: 'lister' }],
  ['share.find_with_coverage', { id: mine.id, viewerUid: 'lister' }],
  ['share.list_initiated', PART],
  ['share.list_own', PART],
  ['share.list_own_of_node', { ...OWN, nodeId: mine.node_id }],
  ['share.list_own_of_children', { ...OWN, parentNodeId: root.id, afterName: '' }],
  ['share.list_received', { ...RECEIVED, groups: ['team-0'], state: 0 }],
  // Members have a row for each share with their groups, but the organisation has none for these of `receiver`.
  ['share.list_received_after', { ...RECEIVED, groups: [], state: 0 }],
  ['share.list_received_of_node', { ...RECEIVED, groups: [], state: null, nodeId: got.node_id }],
  ['share.coverage', { uid: 'receiver', nodeIds: [got.node_id] }],
  [
    'share.insert',
    {
      ...{ type: 0, nodeId: free.id, ownerUid: 'lister', initiatorUid: 'lister', recipient: 'quiet' },
      ...{ permissions: 19, fileTarget: '/x', initialState: 0, expiresOn: null, attributes: null, note: '' },
      ...{ people: ['lister', 'quiet'], acting: '' },
    },
  ],
  [
    'share.insert_by_path',
    {
      ...{ uid: 'lister', path: free.path, prefixes: [free.hash], targets: [free.path] },
      ...{ filePermissions: 19, folderPermissions: 31 },
      ...{ type: 0, initiatorUid: 'lister', recipient: 'quiet' },
      ...{ fileTarget: '/x', initialState: 0, expiresOn: null, attributes: null, note: '' },
      ...{ people: ['lister', 'quiet'], acting: '' },
    },
  ],
  ['share.remove_managed', { id: mine.id, uid: 'lister', acting: '' }],
];

/** An offer without a description, an expiry and web applications. */
const PLAIN_OFFER = {
  ownerDisplayName: 'Rem',
  senderDisplayName: 'Rem',
  name: 'x',
  description: '',
  kind: 'file',
  permissions: 19,
  expiresAt: null,
  dialect: 'ocm-webdav',
  access: {},
  webappTokenEnc: null,
  verified: false,
};

/** Statements of an offer that a partner makes. */
function offered({ taken: { host_key: host, peer_id: peerId } }) {
  const [person, secret] = [`rem@${host}`, Buffer.from('new')];
  const sent = { owner: person, sender: person, providerId: 'new', tokenHmac: secret, tokenEnc: secret };
  return [
    [
      'offer_parties.find',
      { hostKey: host, otherHostKey: host, uids: ['quiet'], hosts: [host], people: [person] },
    ],
    [
      'received_share.insert',
      { ...PLAIN_OFFER, ...sent, peerId, recipientUids: ['quiet'], subject: '-', acting: '' },
    ],
  ];
}

/** Statements of requests by partners and visitors of links, and of requests about files and people. */
const reading = ({ link, offer, taken, recipient, root, folder, nodes }) => [
  ['public_link.by_token', { tokenHmac: link.token_hmac }],
  ['partner_share.by_token', { tokenHmac: offer.token_hmac, deliveredByAccess: [] }],
  ['received_share.lock_by_secret', { providerId: taken.provider_id, tokenHmac: taken.token_hmac }],
  ['received_share.list', { recipientUid: recipient.uid, states: ['accepted', 'pending'] }],
  ['node.children', { folderId: root.id, limit: 500 }],
  ['node.share_types', { nodeIds: nodes, uid: 'lister' }],
  ['storage.of_user', { uid: 'lister' }],
  ['mount.in_folder', { uid: 'receiver', folderHash: folder.hash, folderPath: '' }],
  ['mount.in_folder', { uid: recipient.uid, folderHash: folder.hash, folderPath: '' }],
  ['mount.any_below', { uid: 'receiver', folderPath: '/Project 8' }],
  ['mount.unplaced', { uid: 'receiver' }],
  ['mount.anything_to_place', { uid: 'receiver' }],
  ['account.one', { uid: 'lister' }],
  ['account.many', { uids: ['lister', 'quiet', 'receiver'] }],
  [
    'sharee.search_indexed',
    {
      ...{ search: 'quiet', limit: 50, offset: 0, uid: 'lister', exceptGroups: [] },
      ...{ exactUsers: true, partsUsers: true, usersWithin: null, userNames: true, userIdsAnywhere: true },
      ...{
        exactGroups: true,
        partsGroups: true,
        groupsWithin: null,
        groupNames: true,
        groupIdsAnywhere: true,
      },
      ...{ exactContacts: true, partsContacts: true, contactNames: true },
    },
  ],
];

const ROOM = { uploadId: null, defaultMaxNodes: 1_000_000 };

/** Short reads that find the place of a path, and what a request may do there. */
function placing({ mine, link, taken, password, root, waiting }) {
  const bare = { uid: 'lister', path: mine.path, prefixes: [mine.hash], targets: [mine.path] };
  const path = { ...bare, lastPart: mine.path };
  return [
    ['node.bare_place', bare],
    ['node.place', path],
    ['node.place_and_room', { ...path, ...ROOM }],
    ['node.place_in_share', { shareId: link.id, path: '', lastPart: '' }],
    ['storage.room', { storageId: root.storage_id, ...ROOM }],
    ['app_password.find', { secretHash: password.secret_hash }],
    ['remote_share.find_mounted', { receivedShareId: taken.id }],
    ['outbox.verdict', { messageId: waiting[0] }],
  ];
}

/** Statements of requests that write files. */
const writing = ({ mine, root, free }) => [
  ['storage.lock', { storageIds: [root.storage_id] }],
  [
    'node.overwrite',
    {
      ...{ nodeId: free.id, size: 1, mtime: '2026-01-01T00:00:00Z', etag: 'e', checksum: null, blobKey: 'b' },
      ...{ author: 'lister', throughShare: null },
    },
  ],
  ['node.propagate', { folderIds: [root.id], sizeDeltas: [1], etag: 'e', at: '2026-01-01T00:00:00Z' }],
  ['trash.put', { nodeId: mine.node_id, shareId: null, acting: '' }],
  ['trash.take_out', { nodeId: mine.node_id, acting: '' }],
  ['node.delete_subtrees', { nodeIds: [mine.node_id], acting: '' }],
  [
    'node.move_subtree',
    {
      ...{ nodeId: mine.node_id, storageId: root.storage_id, ownerUid: 'lister', parentId: root.id },
      ...{ name: 'moved', path: '/moved', mimetype: 'text/plain' },
    },
  ],
];

/** Statements of workers. */
const work = ({ waiting, queued, peers }) => [
  ['outbox_dispatch.walk', { after: 0, steps: 50 }],
  ['outbox_dispatch.due_peers', { peers }],
  ['outbox_dispatch.first_of_subjects', { ids: [1, 2, 3, 4, 5], rooms: [2, 2, 2, 2, 2] }],
  ['outbox_dispatch.queue', { admitted: waiting, leaseMs: 60_000 }],
  ['delivery.claim', { messageIds: queued, rounds: queued.map(() => 0), leaseMs: 60_000 }],
  ['outbox_dispatch.reclaim', { withoutCopies: [], pauseAfterDoubtMs: 1000 }],
  ['outbox_dispatch.to_write', {}],
  ['share.remove_expired', { limit: 100 }],
  ['outbox.forget_finished', { days: 30, limit: 1000 }],
  ['share_watch.walk', { after: 0, steps: 50 }],
  ['share_watch.claim_partners', { peers, leaseMs: 60_000 }],
];

/**
 * @param {import('pg').Client} client to a database that organisation.mjs filled
 * @param {{name: string, text: string, order: string[]}[]} declared all statements of the product
 * @returns {Promise<{name: string, text: string, values: unknown[]}[]>} a statement can occur with several sets of values
 * @throws Error if a statement is not declared, or has other parameters
 */
export async function hotStatements(client, declared) {
  const facts = await known(client);
  const byName = new Map(declared.map((one) => [one.name, one]));
  const hot = [sharing, offered, reading, placing, writing, work].flatMap((statements) => statements(facts));
  return hot.map(([name, given]) => {
    const statement = byName.get(name);
    if (!statement) throw new Error(`there is no statement ${name}`);
    const missing = statement.order.find((parameter) => !(parameter in given));
    if (missing) throw new Error(`${name} wants a value for ${missing}`);
    return { name, text: statement.text, values: statement.order.map((parameter) => given[parameter]) };
  });
}

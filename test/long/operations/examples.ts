import { passwordOf, type Instance, type TwoInstances } from './two-instances';

/** Values for the words in capitals of a command. */
type Values = Readonly<Record<string, string>>;

/** How a command of the pages is tried. */
export interface Example {
  /** The command, or its beginning. */
  readonly command: string;
  /** Makes the objects that the command needs. */
  readonly prepare?: (both: TwoInstances) => Promise<Values>;
  /** Additional variables for the command. */
  readonly variables?: Values;
  /** Error of a command that is correct, but has nothing to do here. */
  readonly refusal?: RegExp;
}

/** The command line sends no requests to the issuer. */
const ISSUER = { OIDC_ISSUER: 'https://id.example.org', OIDC_AUDIENCE: 'drawbridge' };
const SHARES = '/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json';
let made = 0;

/** Makes an account without files and shares. */
async function newAccount(both: TwoInstances): Promise<string> {
  const uid = `person-${++made}`;
  await both.addUser(uid);
  return uid;
}

/** @returns the id of the share, and the token of a link */
async function share(
  both: TwoInstances,
  fields: Record<string, string>,
  { uid = 'alice', at = both.ours } = {},
): Promise<{ id: string; token: string }> {
  const path = `/shared-${++made}.txt`;
  await both.ask(uid, `/remote.php/webdav${path}`, { method: 'PUT', body: path }, at);
  const body = new URLSearchParams({ path, ...fields });
  const answer = await both.ask(uid, SHARES, { method: 'POST', body }, at);
  const { data } = ((await answer.json()) as { ocs: { data: { id: string; token: string } } }).ocs;
  return data;
}

const first = async (both: TwoInstances, ...command: string[]): Promise<string> => {
  const [row] = JSON.parse(await both.drawbridge([...command, '--json'])) as { id: number | string }[];
  if (row === undefined) throw new Error(`drawbridge ${command.join(' ')} lists nothing`);
  return String(row.id);
};

async function appPassword(both: TwoInstances): Promise<Values> {
  const uid = await newAccount(both);
  await both.ask(uid, '/ocs/v2.php/core/getapppassword?format=json');
  return { UID: uid, ID: await first(both, 'app-password', 'list', uid) };
}

async function waitingMessage(both: TwoInstances): Promise<Values> {
  await both.drawbridge(['peer', 'pause', both.partner.host]);
  await share(both, { shareType: '6', shareWith: `bob@${both.partner.host}` });
  const id = await first(both, 'delivery', 'list', '--state', 'pending');
  return { ID: id };
}

async function cancelledMessage(both: TwoInstances): Promise<Values> {
  const waiting = await waitingMessage(both);
  await both.drawbridge(['delivery', 'cancel', waiting.ID!]);
  return waiting;
}

const withIssuer = ({ ours }: TwoInstances): Instance => ({
  ...ours,
  variables: { ...ours.variables, ...ISSUER },
});

async function attached(both: TwoInstances): Promise<Values> {
  const uid = await newAccount(both);
  await both.drawbridge(['user', 'attach', uid, `subject-of-${uid}`], withIssuer(both));
  return { UID: uid };
}

const account = async (both: TwoInstances): Promise<Values> => ({ UID: await newAccount(both) });

/** If several examples match, the longest one counts. Commands without an example are run unchanged. */
export const EXAMPLES: readonly Example[] = [
  { command: 'app-password list UID', prepare: appPassword },
  { command: 'app-password revoke UID ID', prepare: appPassword },
  { command: 'app-password revoke-all UID', prepare: appPassword },
  { command: 'delivery cancel ID', prepare: waitingMessage },
  {
    command: 'delivery show',
    prepare: async (both) => ({ ID: await first(both, 'delivery', 'list'), 17: '1' }),
  },
  { command: 'delivery replay --id ID', prepare: cancelledMessage },
  { command: 'delivery replay --error CLASS', prepare: () => Promise.resolve({ CLASS: 'timeout' }) },
  { command: 'directory show', refusal: /No directory was read/ },
  { command: 'directory sync', refusal: /LDAP_URLS/ },
  { command: 'invitation create UID', prepare: account },
  {
    command: 'link save UID ADDRESS',
    prepare: async (both) => {
      // An earlier example pauses the partner.
      await both.drawbridge(['peer', 'resume', both.partner.host]);
      const { token } = await share(both, { shareType: '3' }, { uid: 'bob', at: both.partner });
      return { UID: await newAccount(both), ADDRESS: `${both.partner.url}/s/${token}` };
    },
  },
  { command: 'peer pin HOST DIALECT', prepare: () => Promise.resolve({ DIALECT: 'ocm-webdav' }) },
  { command: 'peer signatures HOST --sign FORM', prepare: () => Promise.resolve({ FORM: 'rfc9421' }) },
  {
    command: 'peer unpin HOST',
    prepare: async (both) => {
      await both.drawbridge(['peer', 'pin', both.partner.host, 'ocm-webdav']);
      return {};
    },
  },
  { command: 'peer rename OLD NEW', refusal: /new\.partner\.example is not a partner/ },
  { command: 'peer trust HOST TRUST', prepare: () => Promise.resolve({ TRUST: 'allowed' }) },
  { command: 'quarantine delete ID', refusal: /no upload|quarantine/i },
  { command: 'quarantine release ID', refusal: /no upload|quarantine/i },
  { command: 'quarantine save ID F', refusal: /no upload|quarantine/i },
  { command: 'second-factor list UID', prepare: account },
  { command: 'second-factor reset UID', prepare: account, refusal: /has no second factor/ },
  {
    command: 'setting set <app> <key> <value>',
    prepare: () =>
      Promise.resolve({ '<app>': 'files_antivirus', '<key>': 'unreachable', '<value>': 'refuse' }),
  },
  {
    command: 'setting set files_antivirus KEY VALUE',
    prepare: () => Promise.resolve({ KEY: 'unreachable', VALUE: 'refuse' }),
  },
  {
    command: 'setting unset <app> <key>',
    prepare: () => Promise.resolve({ '<app>': 'files_antivirus', '<key>': 'unreachable' }),
  },
  {
    command: 'share delete ID',
    prepare: async (both) => ({ ID: (await share(both, { shareType: '3' })).id }),
  },
  { command: 'stored-write give-up ID', refusal: /no (stored )?write|no file/i },
  { command: 'stored-write retry ID', refusal: /no (stored )?write|no file/i },
  { command: 'user add UID', prepare: () => Promise.resolve({ UID: `person-${++made}` }) },
  { command: 'user attach UID SUBJECT', prepare: account, variables: ISSUER },
  { command: 'user detach UID', prepare: attached, variables: ISSUER },
  { command: 'user end UID --preview', prepare: account },
  { command: 'user end UID --remove', prepare: account },
  {
    command: 'user end UID --transfer-to OTHER',
    prepare: async (both) => ({ UID: await newAccount(both), OTHER: await newAccount(both) }),
  },
  {
    command: 'user end UID --undo',
    prepare: async (both) => {
      const uid = await newAccount(both);
      await both.drawbridge(['user', 'end', uid, '--remove', '--grace', '3']);
      return { UID: uid };
    },
  },
];

/** Standard input of commands that read a password. */
export const INPUT = `${passwordOf('anybody')}\n`;

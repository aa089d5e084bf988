import { ADMIN, startOwnCloud, type FakePartner } from '../../libs/testing/src';
import { InboundPartner } from '../federation/inbound-partner';
import { AMONG_FAKES, hostOf } from '../federation/outgoing-world';
import type { SharingGateway } from '../sharing/sharing-gateway';
import { AuditWatch, expectDocumented, expectNoSecrets, play, type Step } from './audit-world';

const REMOTE = 'cloud.partner.example';
const SECRET = 'CanaryOfASecret';
const REQUIRING_MORE = {
  protocol: { webdav: { sharedSecret: `${SECRET}6`, requirements: ['must-dance'] } },
};

let partner: InboundPartner;
let people: SharingGateway;
let fake: FakePartner;
let watch: AuditWatch;

beforeAll(async () => {
  fake = await startOwnCloud();
  partner = await InboundPartner.start('owncloud10', { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '10s' });
  people = partner.gateway;
  watch = new AuditWatch(people);
  await people.store('alice', '/d.txt', '/e.txt');
  await partner.hold(REMOTE);
  await partner.hold('third.example');
  await watch.look();
});
afterAll(async () => {
  await partner?.stop();
  await fake.close();
});

const ids: Record<string, string> = {};
const share = async (name: string, form: Record<string, string>): Promise<void> => {
  ids[name] = await people.shareId('alice', form);
};
const received = async (providerId: string): Promise<number> => {
  const [row] = await people.query<{ id: number }>(
    'SELECT id::int AS id FROM received_share WHERE provider_id = $1',
    [providerId],
  );
  return row!.id;
};
const regard = (trust: string) =>
  people.ocs('POST', '/apps/federation/api/v1/partners', ADMIN.uid, { host: REMOTE, trust });
const invite = async (): Promise<{ id: number; token: string }> =>
  (await people.ocs('POST', '/apps/ocm/api/v1/invitations', 'alice', { description: 'come' })).data as {
    id: number;
    token: string;
  };
let invitation: { id: number; token: string };

const steps = (): readonly Step[] => [
  [
    'a share with a partner',
    () => share('sent', { path: '/d.txt', shareType: '6', shareWith: `bea@${hostOf(fake)}` }),
    'alice share.create share',
  ],
  [
    'one that the partner refuses',
    () => people.share('alice', { path: '/e.txt', shareType: '6', shareWith: `ghost@${hostOf(fake)}` }),
    'alice share.create share',
    `${hostOf(fake)} share.answer share refused`,
    'alice share.delete share',
  ],
  ['an offer', () => partner.offer('o1', `${SECRET}1`), `${REMOTE} received-share.offer received-share`],
  ['the same offer', () => partner.offer('o1', `${SECRET}1`)],
  [
    'its acceptance',
    async () => partner.received('POST', `/pending/${await received('o1')}`),
    'alice received-share.accept received-share',
  ],
  [
    'other permissions',
    () =>
      partner.notify('SHARE_CHANGE_PERMISSION', 'o1', `${SECRET}1`, {
        protocol: { name: 'multi', webdav: { permissions: ['read'] } },
      }),
    `${REMOTE} received-share.update received-share`,
  ],
  [
    'leaving it',
    async () => partner.received('DELETE', `/${await received('o1')}`),
    'alice received-share.decline received-share',
  ],
  ['another offer', () => partner.offer('o2', `${SECRET}2`), `${REMOTE} received-share.offer received-share`],
  [
    'its decline',
    async () => partner.received('DELETE', `/pending/${await received('o2')}`),
    'alice received-share.decline received-share',
  ],
  ['a third one', () => partner.offer('o3', `${SECRET}3`), `${REMOTE} received-share.offer received-share`],
  [
    'that is taken back',
    () => partner.notify('SHARE_UNSHARED', 'o3', `${SECRET}3`),
    `${REMOTE} received-share.end received-share`,
  ],
  [
    'an acceptance there',
    () => partner.notify('SHARE_ACCEPTED', ids.given!, `${SECRET}4`),
    `${REMOTE} share.accept share`,
  ],
  ['the same again', () => partner.notify('SHARE_ACCEPTED', ids.given!, `${SECRET}4`)],
  [
    'a wrong secret',
    () => partner.notify('SHARE_DECLINED', ids.given!, 'Wrong'),
    'partner message.take message refused',
  ],
  [
    'passing it on to somebody else',
    () =>
      partner.notify('REQUEST_RESHARE', ids.given!, `${SECRET}4`, {
        shareWith: 'zoe@third.example',
        senderId: 'r1',
      }),
    `${REMOTE} reshare.grant share`,
  ],
  [
    'a wrong secret for its content',
    () =>
      fetch(`${people.gateway.url}/public.php/webdav/`, {
        headers: { authorization: `Basic ${Buffer.from('WrongCanary:').toString('base64')}` },
      }),
    'partner content.access share refused',
  ],
  [
    'leaving there',
    () => partner.notify('SHARE_DECLINED', ids.given!, `${SECRET}4`),
    `${REMOTE} share.leave share`,
  ],
  ['a partner that is denied', () => regard('denied'), `admin partner.trust partner`],
  ['an offer of it', () => partner.offer('o4', `${SECRET}5`), 'partner message.take message refused'],
  ['another word', () => regard('allowed'), 'admin partner.trust partner'],
  [
    'an offer with a requirement that is not met',
    () => partner.offer('o5', `${SECRET}6`, REQUIRING_MORE),
    'partner message.take message refused',
  ],
  [
    'an invitation',
    async () => {
      invitation = await invite();
    },
    'alice invitation.create invitation',
  ],
  [
    'that is accepted',
    () =>
      fetch(`${people.gateway.url}/ocm/invite-accepted`, {
        method: 'POST',
        body: JSON.stringify({
          recipientProvider: REMOTE,
          token: invitation.token,
          userID: 'marie',
          email: 'marie@partner.example',
          name: 'Marie',
        }),
      }),
    `${REMOTE} invitation.accept invitation`,
  ],
  [
    'one that is taken back',
    async () => {
      invitation = await invite();
    },
    'alice invitation.create invitation',
  ],
  [
    'taking back',
    () => people.ocs('DELETE', `/apps/ocm/api/v1/invitations/${invitation.id}`, 'alice'),
    'alice invitation.revoke invitation',
  ],
  [
    'the end of a contact',
    async () => {
      const [contact] = (await people.ocs('GET', '/apps/ocm/api/v1/contacts', 'alice')).data as {
        id: number;
      }[];
      await people.ocs('DELETE', `/apps/ocm/api/v1/contacts/${contact!.id}`, 'alice');
    },
    'alice contact.remove contact',
  ],
];

describe('every decision between instances is recorded once, with its actor', () => {
  it('about shares and partners', async () => {
    ids.given = await partner.sentShare('/given.txt', `${SECRET}4`);
    await watch.look();
    for (const step of steps()) await play(watch, step);
  });

  it('under a name of the operators’ manual', () => expectDocumented(people));
  it('without any secret in it', () => expectNoSecrets(people, [invitation.token], REMOTE));
});

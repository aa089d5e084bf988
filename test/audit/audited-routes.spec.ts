import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGateway, type TestGateway } from '../../libs/testing/src';
import { routesOf } from '../edge/route-table';
import { documentedActions } from './documented-actions';

/** Prefixes of the routes below. */
const SHORT: readonly (readonly [RegExp, string])[] = [
  [/^\/ocs\/v[12]\.php/, ''],
  [/^\/apps\/files_sharing\/api\/v1/, 'sharing:'],
  [/^\/apps\/provisioning_api\/api\/v1/, 'provisioning:'],
];

/**
 * Audit action of each call that can change something. A text in brackets is the reason why a call is not recorded: it
 * decides nothing about shares, partners or accounts.
 */
const RECORDED_AS: Readonly<Record<string, string>> = {
  'POST sharing:/shares': 'share.create',
  'POST sharing:/shares/pending': 'share.create',
  'PUT sharing:/shares/:id': 'share.update',
  'PUT sharing:/shares/pending/:id': 'share.update',
  'DELETE sharing:/shares/:id': 'share.delete',
  'POST sharing:/shares/pending/:id': 'share.accept',
  'DELETE sharing:/shares/pending/:id': 'share.decline',
  'POST sharing:/remote_shares/pending/:id': 'received-share.accept',
  'POST sharing:/remote_shares/pending:id(^\\d+$)': 'received-share.accept',
  'DELETE sharing:/remote_shares/pending/:id': 'received-share.decline',
  'DELETE sharing:/remote_shares/pending:id(^\\d+$)': 'received-share.decline',
  'POST sharing:/remote_shares': 'foreign-link.save',
  'POST /apps/ocm/invitation/accept': 'invitation.take',
  'POST /index.php/apps/ocm/invitation/accept': 'invitation.take',
  'POST /apps/files_sharing/external': 'foreign-link.save',
  'POST /index.php/apps/files_sharing/external': 'foreign-link.save',
  'POST /apps/federatedfilesharing/createFederatedShare': 'share.create',
  'POST /index.php/apps/federatedfilesharing/createFederatedShare': 'share.create',
  'POST /apps/federatedfilesharing/askForFederatedShare': 'foreign-link.save',
  'POST /index.php/apps/federatedfilesharing/askForFederatedShare': 'foreign-link.save',
  'POST /apps/files_sharing/api/externalShares': 'received-share.accept',
  'POST /index.php/apps/files_sharing/api/externalShares': 'received-share.accept',
  'DELETE /apps/files_sharing/api/externalShares/:id': 'received-share.decline',
  'DELETE /index.php/apps/files_sharing/api/externalShares/:id': 'received-share.decline',
  'DELETE sharing:/remote_shares/:id': 'received-share.decline',
  'POST /apps/drawbridge/api/v1/lists/:list/:action': 'offer.report-close',
  'POST /apps/drawbridge/api/v1/stored-writes/:id/retry': '(the file shows its attempts)',
  'DELETE /apps/drawbridge/api/v1/stored-writes/:id': 'stored-write.give-up',
  'POST /apps/drawbridge/api/v1/partners/probe': '(finds out what a server speaks)',
  'POST /apps/drawbridge/api/v1/offer-blocks': 'offer-block.add',
  'DELETE /apps/drawbridge/api/v1/offer-blocks/:id': 'offer-block.remove',
  'POST /apps/drawbridge/api/v1/offer-reports': 'offer.report',
  'POST sharing:/notification/send': '(a mail)',
  'POST sharing:/notification/marksent': '(a mail)',
  'POST sharing:/notification/notify-public-link-by-email': '(a mail)',
  'DELETE /apps/notifications/api/v1/notifications/:id': '(a notice that was read)',
  'POST /apps/ocm/api/v1/invitations': 'invitation.create',
  'DELETE /apps/ocm/api/v1/invitations/:id': 'invitation.revoke',
  'POST /apps/ocm/api/v1/invitations/accept': 'invitation.take',
  'POST /apps/ocm/api/v1/share-requests': '(the request shows its state)',
  'DELETE /apps/ocm/api/v1/share-requests/:id': '(the request shows its state)',
  'DELETE /apps/ocm/api/v1/contacts/:id': 'contact.remove',
  'POST /apps/federation/api/v1/partners': 'partner.trust',
  'POST provisioning:/config/apps/:app/:key': 'setting.change',
  'DELETE provisioning:/config/apps/:app/:key': 'setting.reset',
  'POST provisioning:/config/users/:app/:key': 'preference.change',
  'DELETE provisioning:/config/users/:app/:key': 'preference.change',
  'POST /privatedata/setattribute/:app/:key': '(a value of a client)',
  'POST /privatedata/deleteattribute/:app/:key': '(a value of a client)',
  'POST /cloud/users': 'account.create',
  'PUT /cloud/users/:uid': 'account.update',
  'PUT /cloud/users/:uid/enable': 'account.update',
  'PUT /cloud/users/:uid/disable': 'account.update',
  'DELETE /cloud/users/:uid': 'account.delete',
  'POST /cloud/users/:uid/groups': 'group.join',
  'DELETE /cloud/users/:uid/groups': 'group.leave',
  'POST /cloud/users/:uid/subadmins': 'group.add-subadmin',
  'DELETE /cloud/users/:uid/subadmins': 'group.remove-subadmin',
  'POST /cloud/groups': 'group.create',
  'POST /cloud/groups/:gid/remote_members': 'group.join',
  'DELETE /cloud/groups/:gid/remote_members': 'group.leave',
  'DELETE /cloud/groups/:gid': 'group.delete',
  'POST /cloud/apps/:app': '(refused always: there are no apps to switch)',
  'DELETE /cloud/apps/:app': '(refused always: there are no apps to switch)',
  'PUT /cloud/capabilities/entries/:app': '(what another app announces)',
  'DELETE /cloud/capabilities/entries/:app': '(what another app announces)',
  'POST /person/check': '(changes nothing; wrong passwords are sign-in lock-outs)',
  'POST /cloud/shares': 'received-share.offer',
  'POST /cloud/shares/:id/accept': 'share.accept',
  'POST /cloud/shares/:id/decline': 'share.decline',
  'POST /cloud/shares/:id/permissions': 'share.update',
  'POST /cloud/shares/:id/reshare': 'reshare.grant',
  'POST /cloud/shares/:id/revoke': 'share.delete',
  'POST /cloud/shares/:id/unshare': 'received-share.end',
  'POST /cloud/shared-secret': 'handshake.request',
  'POST /apps/federation/api/v1/request-shared-secret': 'handshake.request',
  'POST /core/apppassword/rotate': 'app-password.change',
  'DELETE /core/apppassword': 'app-password.revoke',
  'POST /apps/drawbridge/api/v1/account-ends/:uid': 'account.end',
  'DELETE /apps/drawbridge/api/v1/account-ends/:uid': 'account.end-undo',
  'POST /scim/v2/Users': 'account.create',
  'PUT /scim/v2/Users/:id': 'account.update',
  'PATCH /scim/v2/Users/:id': 'account.update',
  'DELETE /scim/v2/Users/:id': 'account.end',
  'POST /scim/v2/Users/.search': '(reads)',
  'POST /scim/v2/Groups': 'group.create',
  'PUT /scim/v2/Groups/:id': 'group.join',
  'PATCH /scim/v2/Groups/:id': 'group.join',
  'DELETE /scim/v2/Groups/:id': 'group.delete',
  'POST /scim/v2/Groups/.search': '(reads)',
  'POST /apps/drawbridge/api/v1/partners/pause': 'partner.pause',
  'POST /apps/drawbridge/api/v1/partners/resume': 'partner.resume',
  'POST /apps/drawbridge/api/v1/partners/pin': 'partner.pin',
  'DELETE /apps/drawbridge/api/v1/partners/pin': 'partner.unpin',
  'POST /apps/drawbridge/api/v1/partners/signatures': 'partner.signatures',
  'POST /apps/drawbridge/api/v1/partners/limits': 'partner.limits',
  'POST /apps/drawbridge/api/v1/partners/rename': 'partner.rename',
  'POST /apps/drawbridge/api/v1/deliveries/replay': '(the message shows its state and attempts)',
  'POST /apps/drawbridge/api/v1/deliveries/:id/replay': '(the message shows its state and attempts)',
  'POST /apps/drawbridge/api/v1/deliveries/:id/retry': '(the message shows its state and attempts)',
  'DELETE /apps/drawbridge/api/v1/deliveries/:id': '(the message shows its state and attempts)',
  'POST /apps/files/ajax/download.php': '(reads)',
  'POST /index.php/apps/files/ajax/download.php': '(reads)',
  'POST /index.php/apps/files_sharing/shareinfo': '(reads)',
  'POST /ocm/shares': 'received-share.offer',
  'POST /ocm/notifications': 'share.accept',
  'POST /ocm/request-share': '(the owner is notified; what is refused is message.take)',
  'POST /apps/ocm/app/:id': '(access within what a share gives; what is refused is content.access)',
  'POST /apps/ocm/app/:id/*': '(access within what a share gives; what is refused is content.access)',
  'POST /index.php/apps/ocm/app/:id': '(access within what a share gives; what is refused is content.access)',
  'POST /index.php/apps/ocm/app/:id/*':
    '(access within what a share gives; what is refused is content.access)',
  'POST /ocm/token': '(access within what a share gives; what is refused is message.take)',
  'POST /ocm/invite-accepted': 'invitation.accept',
  'POST /ocm/invited-accepted': 'invitation.accept',
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const shortened = (path: string): string =>
  SHORT.reduce((short, [prefix, word]) => short.replace(prefix, word), path);

it('every call that can change something is recorded, or has a listed reason against it', () => {
  const changing = routesOf(gateway.instance.app.nest)
    .filter(
      ({ method, path }) =>
        !['GET', 'HEAD', 'OPTIONS'].includes(method) &&
        /^\/(?:ocs|ocm|scim|apps|index\.php\/apps)/.test(path),
    )
    .map(({ method, path }) => `${method} ${shortened(path)}`);
  expect([...new Set(changing)].sort()).toEqual(Object.keys(RECORDED_AS).sort());
});

it('the operations page on the audit log lists every recorded action', () => {
  const told = readFileSync(join(__dirname, '../../docs/operations/audit.md'), 'utf8');
  const actions = Object.values(RECORDED_AS).filter((action) => !action.startsWith('('));
  expect(actions.filter((action) => !documentedActions(told).has(action))).toEqual([]);
});

import { UIDS, type Held } from './held';
import type { Caller } from './matrix-rows';

/** A well-formed request for its route. */
export interface Sample {
  /** The whole path, for routes with a wild card. */
  readonly path?: string;
  /** Values for the parameters of a route's path. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: string;
  /** The method to use, if the route accepts all. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its Authorization header, if it is not the caller's own. */
  readonly authorization?: string;
  /** If a success changes nothing although its method could. */
  readonly changesNothing?: true;
  /** If a success changes something although its method should not. */
  readonly changesOnSuccess?: true;
  /** If the first success uses up something outside of the database, so that another caller has none. */
  readonly happensOnce?: true;
  /** If a success shows no content. */
  readonly showsNothing?: true;
}
export type SampleOf = (held: Held, caller: Caller) => Sample;

const SHARES = '{ocs}/apps/files_sharing/api/v1/shares';
const REMOTE = '{ocs}/apps/files_sharing/api/v1/remote_shares';
const CLIENTS = '{/apps,/index.php/apps}';
const MAIL = '{ocs}/apps/files_sharing/api/v1/notification';
const CONFIG = '{ocs}/apps/provisioning_api/api/v1/config';
const VALUES = '{ocs}/privatedata';
const OCM = '{ocs}/apps/ocm/api/v1';
const OPERATORS = '{ocs}/apps/drawbridge/api/v1';
const USER = '{ocs}/cloud/users/:uid';

/** The share that gives the caller their relation; another person's share for callers that have none. */
function shareOf({ shares }: Held, caller: Caller): string {
  return shares[caller in shares ? (caller as keyof typeof shares) : 'accepted'];
}

const share: SampleOf = (held, caller) => ({ params: { id: shareOf(held, caller) } });
const changed: SampleOf = (held, caller) => ({ ...share(held, caller), form: { permissions: '3' } });
const list = { path: '/docs' };
const newShare: SampleOf = () => ({ form: { ...list, shareType: '0', shareWith: 'sten', permissions: '1' } });
/** Callers without a share with this recipient get the answer that no recipient was reached. */
const noticeOf: SampleOf = ({ nodeId }, caller) => ({
  form: { itemType: 'folder', shareType: '0', itemSource: nodeId, recipient: 'rick' },
  ...(caller === 'owner' ? {} : { changesNothing: true }),
});
const offered: SampleOf = ({ received }) => ({ params: { id: received.pending } });
const taken: SampleOf = ({ received }) => ({ params: { id: received.accepted } });
const setting = { params: { app: 'core', key: 'shareapi_exclude_groups' } };
const noDelivery = { params: { id: '999999999' } };
/** A server that is no partner. */
const stranger = { host: 'stranger.example' };
const preference = { params: { app: 'files_sharing', key: 'auto_accept_share' } };
const value = { params: { app: 'notes', key: 'font' } };
const olga = { params: { uid: 'olga' } };
/** An administrator who is in the group. */
const ada = { params: { uid: 'ada' } };
/** Another administrator of the group, who is in it too. */
const zoe = { params: { uid: 'zoe' } };
const QUOTA = { key: 'quota', value: '1 GB' };
const PASSWORD = { key: 'password', value: 'other-of-the-specs' };
const team = { params: { gid: 'team' } };
const crew = { params: { gid: 'crew' } };

/** Requests of routes for people with an account, by the rows of the matrix; a row that needs nothing has none. */
export const PEOPLES_REQUESTS: Readonly<Record<string, SampleOf>> = {
  [`GET ${SHARES}`]: () => ({ query: list }),
  [`GET ${SHARES}/pending`]: () => ({ query: list }),
  [`POST ${SHARES}`]: newShare,
  [`POST ${SHARES}/pending`]: newShare,
  [`GET ${SHARES}/:id`]: share,
  [`GET ${SHARES}/:id/remote_members`]: share,
  [`GET ${SHARES}/pending/:id`]: share,
  [`PUT ${SHARES}/:id`]: changed,
  [`PUT ${SHARES}/pending/:id`]: changed,
  [`DELETE ${SHARES}/:id`]: share,
  [`POST ${SHARES}/pending/:id`]: (held, caller) => ({
    ...share(held, caller),
    ...(caller === 'pending' ? {} : { changesNothing: true }),
  }),
  [`DELETE ${SHARES}/pending/:id`]: share,
  [`GET ${SHARES}/:id [passed on]`]: ({ shares }) => ({ params: { id: shares.initiator } }),
  [`PUT ${SHARES}/:id [passed on]`]: ({ shares }) => ({
    params: { id: shares.initiator },
    form: { permissions: '3' },
  }),
  [`DELETE ${SHARES}/:id [passed on]`]: ({ shares }) => ({ params: { id: shares.initiator } }),
  [`GET ${SHARES}/:id [link]`]: ({ link }) => ({ params: { id: link.id } }),
  [`PUT ${SHARES}/:id [link]`]: ({ link }) => ({ params: { id: link.id }, form: { name: 'new' } }),
  [`DELETE ${SHARES}/:id [link]`]: ({ link }) => ({ params: { id: link.id } }),
  [`GET ${SHARES}/:id [federated]`]: ({ given }) => ({ params: { id: given.partner } }),
  [`PUT ${SHARES}/:id [federated]`]: ({ given }) => ({
    params: { id: given.partner },
    form: { permissions: '1' },
  }),
  [`DELETE ${SHARES}/:id [federated]`]: ({ given }) => ({ params: { id: given.partner } }),
  [`GET {ocs}/apps/files_sharing/api/v1/ended_shares/:id`]: ({ endedShare }) => ({
    params: { id: endedShare },
  }),
  [`GET {ocs}/apps/files_sharing/api/v1/share_timelines/:id`]: share,
  [`GET ${REMOTE}/:id`]: taken,
  [`POST ${REMOTE}/pending/:id`]: offered,
  [`DELETE ${REMOTE}/pending/:id`]: offered,
  [`POST ${REMOTE}/pending:id(^\\d+$)`]: offered,
  [`DELETE ${REMOTE}/pending:id(^\\d+$)`]: offered,
  [`DELETE ${REMOTE}/:id`]: taken,
  [`POST ${OPERATORS}/offer-blocks`]: () => ({ form: { who: 'zoe@cloud.partner.example' } }),
  [`DELETE ${OPERATORS}/offer-blocks/:id`]: () => ({ params: { id: '999999' }, changesNothing: true }),
  [`POST ${OPERATORS}/offer-reports`]: ({ received }) => ({
    form: { share: received.pending, reason: 'unknown' },
  }),
  [`POST ${CLIENTS}/files_sharing/external`]: () => ({ form: { url: 'none' }, changesNothing: true }),
  [`GET ${CLIENTS}/files_sharing/testremote`]: () => ({ query: { remote: 'no host' }, showsNothing: true }),
  [`POST ${CLIENTS}/files_sharing/api/externalShares`]: ({ received }) => ({
    form: { id: received.pending },
  }),
  [`DELETE ${CLIENTS}/files_sharing/api/externalShares/:id`]: offered,
  [`GET ${CLIENTS}/ocm/open/:id`]: () => ({ params: { id: '999999' }, showsNothing: true }),
  [`POST ${CLIENTS}/ocm/app/:id`]: () => ({ params: { id: '999999' }, changesNothing: true }),
  [`POST ${CLIENTS}/ocm/app/:id/*`]: () => ({ params: { id: '999999', '*': 'x' }, changesNothing: true }),
  [`GET ${CLIENTS}/files/ajax/download.php`]: () => ({ query: { dir: '/docs', files: 'kept.txt' } }),
  [`GET ${CLIENTS}/files/ajax/download.php [folder]`]: () => ({ query: { dir: '/docs' } }),
  [`POST ${CLIENTS}/files/ajax/download.php`]: () => ({
    query: { dir: '/docs' },
    form: { 'files[]': 'kept.txt' },
    changesNothing: true,
  }),
  [`POST ${CLIENTS}/ocm/invitation/accept`]: () => ({
    form: { token: 'x', providerDomain: 'no host' },
    changesNothing: true,
  }),
  [`GET {ocs}/apps/files_sharing/api/v1/sharees`]: () => ({
    query: { search: 'olga', itemType: 'file', perPage: '5' },
  }),
  [`POST ${MAIL}/send`]: noticeOf,
  [`POST ${MAIL}/marksent`]: noticeOf,
  [`POST ${MAIL}/notify-public-link-by-email`]: ({ link }) => ({
    form: { link: `{url}/s/${link.token}`, 'recipients[]': 'zoe@example.org' },
  }),
  [`GET {ocs}/apps/notifications/api/v1/notifications/:id`]: ({ notification }) => ({
    params: { id: notification },
  }),
  [`DELETE {ocs}/apps/notifications/api/v1/notifications/:id`]: ({ notification }, caller) => ({
    params: { id: notification },
    ...(caller === 'pending' ? {} : { changesNothing: true }),
  }),
  [`GET ${CONFIG}/apps/:app/:key`]: () => setting,
  [`POST ${CONFIG}/apps/:app/:key`]: () => ({ ...setting, form: { value: 'yes' } }),
  [`DELETE ${CONFIG}/apps/:app/:key`]: () => ({
    params: { app: 'core', key: 'shareapi_allow_mail_notification' },
  }),
  [`GET ${CONFIG}/users/:app/:key`]: () => preference,
  [`POST ${CONFIG}/users/:app/:key`]: (_held, caller) => ({
    ...preference,
    form: { value: caller === 'pending' ? 'yes' : 'no' },
  }),
  [`DELETE ${CONFIG}/users/:app/:key`]: () => preference,
  [`GET ${VALUES}/getattribute/:app`]: () => value,
  [`GET ${VALUES}/getattribute/:app/:key`]: () => value,
  [`POST ${VALUES}/setattribute/:app/:key`]: () => ({ ...value, form: { value: 'kept' } }),
  [`POST ${VALUES}/deleteattribute/:app/:key`]: () => ({ ...value, changesNothing: true }),
  [`GET {ocs}/apps/federation/api/v1/partners`]: () => ({ query: { host: 'cloud.partner.example' } }),
  [`POST {ocs}/apps/federation/api/v1/partners`]: () => ({
    form: { host: 'cloud.partner.example', trust: 'denied' },
  }),
  [`POST ${OPERATORS}/stored-writes/:id/retry`]: () => noDelivery,
  [`DELETE ${OPERATORS}/stored-writes/:id`]: () => noDelivery,
  [`POST ${OPERATORS}/deliveries/replay`]: () => ({ changesNothing: true }),
  [`GET ${OPERATORS}/lists/:list`]: () => ({ params: { list: 'shares' } }),
  [`POST ${OPERATORS}/lists/:list/:action`]: () => ({
    params: { list: 'reports', action: 'close' },
    form: { id: '999999' },
    changesNothing: true,
  }),
  [`GET ${OPERATORS}/deliveries/:id`]: () => noDelivery,
  [`POST ${OPERATORS}/deliveries/:id/retry`]: () => noDelivery,
  [`POST ${OPERATORS}/deliveries/:id/replay`]: () => noDelivery,
  [`DELETE ${OPERATORS}/deliveries/:id`]: () => noDelivery,
  [`GET ${OPERATORS}/partners/details`]: () => ({ query: stranger }),
  [`POST ${OPERATORS}/partners/probe`]: () => ({ form: stranger, changesNothing: true }),
  [`POST ${OPERATORS}/partners/pause`]: () => ({ form: stranger }),
  [`POST ${OPERATORS}/partners/resume`]: () => ({ form: stranger }),
  [`POST ${OPERATORS}/partners/pin`]: () => ({ form: { ...stranger, dialects: 'legacy' } }),
  [`DELETE ${OPERATORS}/partners/pin`]: () => ({ query: stranger }),
  [`POST ${OPERATORS}/partners/signatures`]: () => ({ form: { ...stranger, sign: 'none' } }),
  [`POST ${OPERATORS}/partners/limits`]: () => ({
    form: { ...stranger, concurrency: '1', ratePerSecond: '0.5', rateBurst: '1' },
  }),
  [`GET ${OPERATORS}/partners/rename`]: () => ({ query: { ...stranger, newHost: 'new.example' } }),
  [`POST ${OPERATORS}/partners/rename`]: () => ({ form: { ...stranger, newHost: 'new.example' } }),
  [`GET ${OPERATORS}/account-ends/:uid`]: () => olga,
  [`POST ${OPERATORS}/account-ends/:uid`]: () => ({ ...olga, form: { how: 'remove' } }),
  [`DELETE ${OPERATORS}/account-ends/:uid`]: () => olga,
  [`POST ${OCM}/invitations`]: () => ({ form: { description: 'come' } }),
  [`DELETE ${OCM}/invitations/:id`]: ({ invitation }) => ({ params: { id: String(invitation.id) } }),
  [`POST ${OCM}/invitations/accept`]: ({ inviter }) => ({
    form: { token: 'TokenOfTheirInvitation', providerDomain: inviter },
  }),
  [`POST ${OCM}/share-requests`]: ({ contact }) => ({ form: { contact, share: '4711' } }),
  [`DELETE ${OCM}/share-requests/:id`]: ({ shareRequest }) => ({ params: { id: shareRequest } }),
  [`DELETE ${OCM}/contacts/:id`]: ({ contact }) => ({ params: { id: contact } }),
  [`GET {ocs}/cloud/capabilities/entries/:app`]: () => ({ params: { app: 'notes' } }),
  [`PUT {ocs}/cloud/capabilities/entries/:app`]: () => ({
    params: { app: 'news' },
    json: { news: { a: 1 } },
  }),
  [`DELETE {ocs}/cloud/capabilities/entries/:app`]: () => ({ params: { app: 'notes' } }),
  [`GET {ocs}/cloud/apps/:app`]: () => ({ params: { app: 'files' } }),
  [`POST {ocs}/cloud/apps/:app`]: () => ({ params: { app: 'files' }, changesNothing: true }),
  [`DELETE {ocs}/cloud/apps/:app`]: () => ({ params: { app: 'files' } }),
  [`POST {ocs}/cloud/users`]: () => ({ form: { userid: 'newcomer', password: 'new-of-the-specs' } }),
  [`POST {ocs}/cloud/users [into the group]`]: () => ({
    form: { userid: 'newcomer', password: 'new-of-the-specs', 'groups[]': 'crew' },
  }),
  [`PUT ${USER} [their own quota]`]: (_held, caller) => ({
    params: { uid: UIDS[caller] ?? 'olga' },
    form: QUOTA,
  }),
  [`GET ${USER} [an administrator]`]: () => ada,
  [`PUT ${USER} [an administrator’s quota]`]: () => ({ ...ada, form: QUOTA }),
  [`PUT ${USER} [an administrator’s password]`]: () => ({ ...ada, form: PASSWORD }),
  [`PUT ${USER}/disable [an administrator]`]: () => ada,
  [`DELETE ${USER} [an administrator]`]: () => ada,
  [`GET ${USER} [another group administrator]`]: () => zoe,
  [`PUT ${USER} [another group administrator’s quota]`]: () => ({ ...zoe, form: QUOTA }),
  [`PUT ${USER} [another group administrator’s password]`]: () => ({ ...zoe, form: PASSWORD }),
  [`PUT ${USER}/disable [another group administrator]`]: () => zoe,
  [`DELETE ${USER} [another group administrator]`]: () => zoe,
  [`GET ${USER}`]: () => olga,
  [`PUT ${USER}`]: () => ({ ...olga, form: { key: 'display', value: 'Olga the Great' } }),
  [`PUT ${USER} [quota]`]: () => ({ ...olga, form: QUOTA }),
  [`PUT ${USER} [password]`]: () => ({ ...olga, form: PASSWORD }),
  [`DELETE ${USER}`]: () => olga,
  [`PUT ${USER}/enable`]: () => ({ ...olga, changesNothing: true }),
  [`PUT ${USER}/disable`]: () => olga,
  [`GET ${USER}/groups`]: () => olga,
  [`POST ${USER}/groups`]: () => ({ ...olga, form: { groupid: 'team' } }),
  [`DELETE ${USER}/groups`]: () => ({ ...olga, form: { groupid: 'crew' } }),
  [`GET ${USER}/subadmins`]: () => olga,
  [`POST ${USER}/subadmins`]: () => ({ ...olga, form: { groupid: 'team' } }),
  [`DELETE ${USER}/subadmins`]: () => ({ params: { uid: 'zoe' }, form: { groupid: 'crew' } }),
  [`GET {ocs}/core/getapppassword`]: () => ({ changesOnSuccess: true }),
  [`POST {ocs}/cloud/groups`]: () => ({ form: { groupid: 'newcomers' } }),
  [`GET {ocs}/cloud/groups/:gid`]: () => team,
  [`GET {ocs}/cloud/groups/:gid [the group]`]: () => ({ params: { gid: 'crew' } }),
  [`GET {ocs}/cloud/groups/:gid/subadmins`]: () => team,
  [`GET {ocs}/cloud/groups/:gid/remote_members`]: () => team,
  [`GET {ocs}/cloud/groups/:gid/remote_members [the group]`]: () => crew,
  // Nothing is shared with this group: no worker follows the change.
  [`POST {ocs}/cloud/groups/:gid/remote_members`]: () => ({
    ...crew,
    form: { 'cloud_ids[]': 'bea@b.example' },
  }),
  [`DELETE {ocs}/cloud/groups/:gid/remote_members`]: () => ({
    ...crew,
    form: { 'cloud_ids[]': 'ben@b.example' },
  }),
  [`DELETE {ocs}/cloud/groups/:gid`]: () => team,
};

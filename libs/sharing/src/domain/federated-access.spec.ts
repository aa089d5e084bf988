import { grantedToPartner, type FederatedAccess } from './federated-access';
import { ALL, READ, SHARE } from './permissions';
import { policyFrom } from './policy';

const USUAL: FederatedAccess = {
  hostKey: 'cloud.partner.example',
  trust: 'unknown',
  outgoingTrust: null,
  stillPassedOn: true,
  ownerEnabled: true,
  initiatorGroups: ['staff'],
  isSavedLink: false,
};

const NO_LINKS = { 'core/shareapi_allow_links': 'no' };
const NO_UPLOAD = { 'core/shareapi_allow_public_upload': 'no' };

const granted = (settings: Record<string, string>, access: Partial<FederatedAccess>) =>
  grantedToPartner(policyFrom(new Map(Object.entries(settings))), { ...USUAL, ...access });

it.each<[string, Record<string, string>, Partial<FederatedAccess>, number | string]>([
  ['nothing', {}, {}, ALL],
  ['no known partner', { 'federatedfilesharing/allowed_hosts': '["a"]' }, { hostKey: null }, ALL],
  ['sharing off', { 'core/shareapi_enabled': 'no' }, {}, 'sharing-off'],
  ['outgoing off', { 'files_sharing/outgoing_server2server_share_enabled': 'no' }, {}, 'outgoing-off'],
  ['incoming off', { 'files_sharing/incoming_server2server_share_enabled': 'no' }, {}, ALL],
  ['denied', { 'federatedfilesharing/denied_hosts': '["cloud.partner.example"]' }, {}, 'partner-denied'],
  ['not among the allowed', { 'federatedfilesharing/allowed_hosts': '["a"]' }, {}, 'partner-denied'],
  ['a denied partner', {}, { trust: 'denied' }, 'partner-denied'],
  [
    'a partner to which nothing is given',
    {},
    { trust: 'trusted', outgoingTrust: 'denied' },
    'partner-denied',
  ],
  ['a partner of contacts', {}, { trust: 'invited' }, ALL],
  [
    'no account by default',
    { 'federatedfilesharing/outgoing_default_trust': 'denied' },
    {},
    'partner-denied',
  ],
  ['not passed on', {}, { stillPassedOn: false }, 'people-barred'],
  ['a disabled owner', {}, { ownerEnabled: false }, 'people-barred'],
  [
    'an excluded initiator',
    { 'core/shareapi_exclude_groups': 'yes', 'core/shareapi_exclude_groups_list': '["staff"]' },
    {},
    'people-barred',
  ],
  ['links off', NO_LINKS, {}, ALL],
  ['links off, for a saved link', NO_LINKS, { isSavedLink: true }, 'links-off'],
  ['public upload off', NO_UPLOAD, {}, ALL],
  ['public upload off, for a saved link', NO_UPLOAD, { isSavedLink: true }, READ | SHARE],
  ['nothing, for a saved link', {}, { isSavedLink: true }, ALL],
])('with %s', (_case, settings, access, permissions) => {
  expect(granted(settings, access)).toBe(permissions);
});

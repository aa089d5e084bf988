import { suspensionOf, type FederatedAccess } from './federated-access';
import { policyFrom } from './policy';

const USUAL: FederatedAccess = {
  hostKey: 'cloud.partner.example',
  trust: 'unknown',
  outgoingTrust: null,
  stillPassedOn: true,
  ownerEnabled: true,
  initiatorGroups: ['staff'],
};

const suspended = (settings: Record<string, string>, access: Partial<FederatedAccess> = {}) =>
  suspensionOf(policyFrom(new Map(Object.entries(settings))), { ...USUAL, ...access });

it.each<[string, Record<string, string>, Partial<FederatedAccess>, string | undefined]>([
  ['nothing', {}, {}, undefined],
  ['no known partner', { 'federatedfilesharing/allowed_hosts': '["a"]' }, { hostKey: null }, undefined],
  ['sharing off', { 'core/shareapi_enabled': 'no' }, {}, 'sharing-off'],
  ['outgoing off', { 'files_sharing/outgoing_server2server_share_enabled': 'no' }, {}, 'outgoing-off'],
  ['incoming off', { 'files_sharing/incoming_server2server_share_enabled': 'no' }, {}, undefined],
  ['denied', { 'federatedfilesharing/denied_hosts': '["cloud.partner.example"]' }, {}, 'partner-denied'],
  ['not among the allowed', { 'federatedfilesharing/allowed_hosts': '["a"]' }, {}, 'partner-denied'],
  ['a denied partner', {}, { trust: 'denied' }, 'partner-denied'],
  [
    'a partner to which nothing is given',
    {},
    { trust: 'trusted', outgoingTrust: 'denied' },
    'partner-denied',
  ],
  ['a partner of contacts', {}, { trust: 'invited' }, undefined],
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
])('with %s', (_case, settings, access, suspension) => {
  expect(suspended(settings, access)).toBe(suspension);
});

import { mayAutoAccept, partnerAccess, PARTNER_TRUSTS, type PartnerTrust } from './partner-policy';
import { policyFrom } from './policy';
import { parseSettingValue } from './settings';

const HOST = 'cloud.example.org';

const policy = (settings: Readonly<Record<string, string>> = {}) =>
  policyFrom(new Map(Object.entries(settings).map(([key, value]) => [`federatedfilesharing/${key}`, value])));
const partner = (trust: PartnerTrust, outgoingTrust: PartnerTrust | null = null) => ({
  hostKey: HOST,
  trust,
  outgoingTrust,
});

describe('the trust that decides about an exchange of shares', () => {
  it.each<[PartnerTrust, PartnerTrust | null, string, string]>([
    ['unknown', null, 'open', 'open'],
    ['allowed', null, 'open', 'open'],
    ['trusted', null, 'open', 'open'],
    ['invited', null, 'contacts', 'contacts'],
    ['denied', null, 'closed', 'closed'],
    ['trusted', 'denied', 'open', 'closed'],
    ['denied', 'allowed', 'closed', 'open'],
    ['trusted', 'invited', 'open', 'contacts'],
    ['denied', 'unknown', 'closed', 'open'],
    ['unknown', 'denied', 'open', 'closed'],
  ])(
    'partner with trust %s (outgoing: %s): incoming is %s, outgoing is %s',
    (trust, outgoing, incoming, given) => {
      const regarded = partner(trust, outgoing);
      expect(partnerAccess(policy(), 'incoming', regarded)).toBe(incoming);
      expect(partnerAccess(policy(), 'outgoing', regarded)).toBe(given);
    },
  );

  it.each<[string, Record<string, string>, PartnerTrust, string, string]>([
    ['a default of the one direction', { incoming_default_trust: 'denied' }, 'unknown', 'closed', 'open'],
    ['a default of the other', { outgoing_default_trust: 'invited' }, 'unknown', 'open', 'contacts'],
    ['a decision from before the default', { incoming_default_trust: 'denied' }, 'allowed', 'open', 'open'],
    ['a denied host whatever was said', { denied_hosts: `["${HOST}"]` }, 'trusted', 'closed', 'closed'],
    ['the list of allowed hosts as a fence', { allowed_hosts: '["a.org"]' }, 'trusted', 'closed', 'closed'],
    ['a listed host that is denied', { allowed_hosts: `["${HOST}"]` }, 'denied', 'closed', 'closed'],
    [
      'a listed host under the default',
      { allowed_hosts: `["${HOST}"]`, incoming_default_trust: 'invited' },
      'unknown',
      'contacts',
      'open',
    ],
  ])('%s', (_what, settings, trust, incoming, outgoing) => {
    const rules = policy(settings);
    expect(partnerAccess(rules, 'incoming', partner(trust))).toBe(incoming);
    expect(partnerAccess(rules, 'outgoing', partner(trust))).toBe(outgoing);
  });
});

describe('automatic acceptance', () => {
  it.each(PARTNER_TRUSTS)('for a %s partner depends on the trust and on the setting', (trust) => {
    expect(mayAutoAccept(policy({ auto_accept_trusted: 'yes' }), partner(trust))).toBe(trust === 'trusted');
    expect(mayAutoAccept(policy(), partner(trust))).toBe(false);
  });

  it('never applies to a denied host, nor to one that only receives shares', () => {
    const denied = policy({ auto_accept_trusted: 'yes', denied_hosts: `["${HOST}"]` });
    expect(mayAutoAccept(denied, partner('trusted'))).toBe(false);
    expect(mayAutoAccept(policy({ auto_accept_trusted: 'yes' }), partner('allowed', 'trusted'))).toBe(false);
  });
});

it.each([
  ['allowed', 'allowed'],
  ['DENIED', 'denied'],
  ['invited', 'invited'],
  ['trusted', undefined],
  ['unknown', undefined],
  ['', undefined],
])('%j as a default is kept as %s', (raw, kept) => {
  expect(parseSettingValue('default-trust', raw)).toBe(kept);
});

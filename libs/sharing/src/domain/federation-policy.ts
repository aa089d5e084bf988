import { readHostIdentity } from '#federation/protocol';
import type { DefaultTrust, ShareDirection } from './default-trust';
import type { SignatureDemand } from './signature-demand';
import type { StoredSettings } from './stored-settings';

/** Rules of shares with other servers, and of people there. */
export interface FederationPolicy {
  readonly outgoing: boolean;
  readonly incoming: boolean;
  /** Whether partners may offer shares to groups of this instance. */
  readonly incomingToGroups: boolean;
  /** Whether users may share with groups of partners. */
  readonly outgoingToGroups: boolean;
  readonly autoAcceptTrusted: boolean;
  /** Whether address books are read from trusted partners, and given to them. */
  readonly exchangeAddressBooks: boolean;
  /** Whether other servers are asked for the account of a whole mail address. */
  readonly findByMail: boolean;
  /** Servers that are asked in place of a mail domain. */
  readonly mailServers: ReadonlyMap<string, string>;
  /** Whether WebFinger names people who agreed to be found by their whole mail address. */
  readonly answerWebFinger: boolean;
  /** Empty: every host that is not denied. */
  readonly allowedHosts: readonly string[];
  readonly deniedHosts: readonly string[];
  /** Trust in partners without a decision of an administrator. */
  readonly defaultTrust: Readonly<Record<ShareDirection, DefaultTrust>>;
  /** By direction of the share: whether its recipient has to exchange the secret for an access token, if they can. */
  readonly tokenExchange: Readonly<Record<ShareDirection, boolean>>;
  /** By direction of the share: whether it may have a web application. */
  readonly webapps: Readonly<Record<ShareDirection, boolean>>;
  /** Hosts at which web applications of partners may be, besides the partner's own. */
  readonly webappHosts: readonly string[];
  /** Demand on partners for which an administrator set no other. */
  readonly signatures: SignatureDemand;
}

export function federationPolicy(settings: StoredSettings): FederationPolicy {
  return {
    outgoing: settings.on('files_sharing/outgoing_server2server_share_enabled'),
    incoming: settings.on('files_sharing/incoming_server2server_share_enabled'),
    incomingToGroups: settings.on('files_sharing/incoming_server2server_group_share_enabled'),
    outgoingToGroups: settings.on('files_sharing/outgoing_server2server_group_share_enabled'),
    autoAcceptTrusted: settings.on('federatedfilesharing/auto_accept_trusted'),
    exchangeAddressBooks: settings.on('federation/exchange_address_books'),
    findByMail: settings.on('federation/find_by_mail'),
    mailServers: new Map(
      settings.list('federation/mail_servers').map((entry) => entry.split('=') as [string, string]),
    ),
    answerWebFinger: settings.on('federation/answer_webfinger'),
    allowedHosts: hostsIn(settings.list('federatedfilesharing/allowed_hosts')),
    deniedHosts: hostsIn(settings.list('federatedfilesharing/denied_hosts')),
    defaultTrust: {
      incoming: settings.text('federatedfilesharing/incoming_default_trust') as DefaultTrust,
      outgoing: settings.text('federatedfilesharing/outgoing_default_trust') as DefaultTrust,
    },
    tokenExchange: {
      incoming: settings.on('federatedfilesharing/incoming_token_exchange'),
      outgoing: settings.on('federatedfilesharing/require_token_exchange'),
    },
    webapps: {
      incoming: settings.on('federatedfilesharing/incoming_webapps'),
      outgoing: settings.on('federatedfilesharing/outgoing_webapps'),
    },
    webappHosts: hostsIn(settings.list('federatedfilesharing/webapp_hosts')),
    signatures: settings.text('federatedfilesharing/incoming_signatures') as SignatureDemand,
  };
}

/** An entry that is no host name stays in the list: otherwise a list of allowed hosts could become empty, and so allow all. */
function hostsIn(entries: readonly string[]): readonly string[] {
  return entries.map((entry) => readHostIdentity(entry) ?? entry);
}

import { Foundation1764000000001 } from './0001-foundation';
import { Notifications1764000000002 } from './0002-notifications';
import { Federation1764000000003 } from './0003-federation';
import { FederatedShares1764000000004 } from './0004-federated-shares';
import { Inbound1764000000005 } from './0005-inbound';
import { RemoteMounts1764000000006 } from './0006-remote-mounts';
import { EndsOfReceivedShares1764000000007 } from './0007-ends-of-received-shares';
import { Reshares1764000000008 } from './0008-reshares';
import { Signatures1764000000009 } from './0009-signatures';
import { Looks1764000000010 } from './0010-looks';
import { PartnerTrust1764000000011 } from './0011-partner-trust';
import { LimitsAndKeys1764000000012 } from './0012-limits-and-keys';
import { PartnerKeys1764000000013 } from './0013-partner-keys';
import { TokenExchange1764000000014 } from './0014-token-exchange';
import { AuditLog1764000000015 } from './0015-audit-log';
import { OriginsOfMessages1764000000016 } from './0016-origins-of-messages';
import { PartnerWire1764000000022 } from './0022-partner-wire';
import { EndedShares1764000000024 } from './0024-ended-shares';
import { ResharesWithoutAccess1764000000024 } from './0024-reshares-without-access';
import { HostsOfPartners1764000000025 } from './0025-hosts-of-partners';
import { ContentGates1764000000029 } from './0029-content-gates';
import { SavedLinks1764000000030 } from './0030-saved-links';
import { EndsOfReshares1764000000033 } from './0033-ends-of-reshares';
import { NodeCounts1764000000032 } from './0032-node-counts';
import { DoubtedShares1764000000038 } from './0038-doubted-shares';
import { LinksOfOthers1764000000036 } from './0036-links-of-others';
import { LinksReadAsSuch1764000000037 } from './0037-links-read-as-such';
import { UnfinishedUploads1764000000043 } from './0043-unfinished-uploads';
import { GatesOfReceivedShares1764000000039 } from './0039-gates-of-received-shares';
import { TrashBin1764000000045 } from './0045-trash-bin';
import { TrashBinChecks1764000000046 } from './0046-trash-bin-checks';
import { SchemaFunctions1764000000047 } from './0047-schema-functions';
import { ShareEvents1764000000048 } from './0048-share-events';
import { BackgroundMoves1764000000057 } from './0057-background-moves';
import { BrowserSessions1764000000058 } from './0058-browser-sessions';
import { FileVersions1764000000051 } from './0051-file-versions';
import { Locks1764000000053 } from './0053-locks';
import { Avatars1764000000064 } from './0064-avatars';
import { AppPasswords1764000000067 } from './0067-app-passwords';
import { Quarantine1764000000063 } from './0063-quarantine';
import { LoginFlows1764000000068 } from './0068-login-flows';
import { SignInsAtIssuers1764000000071 } from './0071-sign-ins-at-issuers';
import { SecondFactors1764000000075 } from './0075-second-factors';
import { ContentChanges1764000000097 } from './0097-content-changes';
import { UseOfReceivedShares1764000000098 } from './0098-use-of-received-shares';
import { FirstReads1764000000099 } from './0099-first-reads';
import { OperationSamples1764000000090 } from './0090-operation-samples';
import { BackupTimes1764000000135 } from './0135-backup-times';
import { NotesOfOffers1764000000160 } from './0160-notes-of-offers';
import { DirectoryServices1764000000161 } from './0161-directory-services';
import { CachedContents1764000000190 } from './0190-cached-contents';
import { SentShareRequests1764000000191 } from './0191-sent-share-requests';
import { SharesWithRemoteGroups1764000000192 } from './0192-shares-with-remote-groups';
import { AddressBooks1764000000200 } from './0200-address-books';
import { MailLookups1764000000220 } from './0220-mail-lookups';
import { Webapps1764000000210 } from './0210-webapps';
import { EarlierVacuums1764000000221 } from './0221-earlier-vacuums';
import { PushNews1764000000222 } from './0222-push-news';
import { SettledMemberships1764000000223 } from './0223-settled-memberships';
import { StoragesOfOwner1764000000224 } from './0224-storages-of-owner';
import { LaterDemands1764000000225 } from './0225-later-demands';
import { ExpiredGroupRecipients1764000000226 } from './0226-expired-group-recipients';
import { TrustedAndRenamedPeers1764000000227 } from './0227-trusted-and-renamed-peers';
import { EndsOfScimClients1764000000228 } from './0228-ends-of-scim-clients';
import { EndsOfSources1764000000229 } from './0229-ends-of-sources';
import { RevisionsOfScimResources1764000000230 } from './0230-revisions-of-scim-resources';
import { ObjectsOfNotificationMails1764000000232 } from './0232-objects-of-notification-mails';
import { AuditLogInAnyLetterCase1764000000240 } from './0240-audit-log-in-any-letter-case';
import { UnfinishedCopies1764000000241 } from './0241-unfinished-copies';
import { MembershipsOfGroupRecipients1764000000242 } from './0242-memberships-of-group-recipients';
import { SharesThatWerePassedOn1764000000243 } from './0243-shares-that-were-passed-on';
import { FavoritesOfUsers1764000000244 } from './0244-favorites-of-users';
import { PrivateValues1764000000087 } from './0087-private-values';
import { EndsOfAccounts1764000000083 } from './0083-ends-of-accounts';
import { ExternalIdentities1764000000070 } from './0070-external-identities';
import { Scim1764000000084 } from './0084-scim';
import { DirectorySyncs1764000000085 } from './0085-directory-syncs';
import { TrashedDemands1764000000115 } from './0115-trashed-demands';
import { Passkeys1764000000116 } from './0116-passkeys';
import { BlockedOffers1764000000111 } from './0111-blocked-offers';
import { NotesOfShares1764000000110 } from './0110-notes-of-shares';
import { LifeOfShares1764000000125 } from './0125-life-of-shares';
import { FederatedGroups1764000000126 } from './0126-federated-groups';
import { PartnerRenames1764000000180 } from './0180-partner-renames';
import { GivenUpWrites1764000000181 } from './0181-given-up-writes';
import { StoredWrites1764000000150 } from './0150-stored-writes';

/** All migrations, oldest first. New ones are appended; after a release none is ever edited. */
export const MIGRATIONS = [
  Foundation1764000000001,
  Notifications1764000000002,
  Federation1764000000003,
  FederatedShares1764000000004,
  Inbound1764000000005,
  RemoteMounts1764000000006,
  EndsOfReceivedShares1764000000007,
  Reshares1764000000008,
  Signatures1764000000009,
  Looks1764000000010,
  PartnerTrust1764000000011,
  LimitsAndKeys1764000000012,
  PartnerKeys1764000000013,
  TokenExchange1764000000014,
  AuditLog1764000000015,
  OriginsOfMessages1764000000016,
  PartnerWire1764000000022,
  ResharesWithoutAccess1764000000024,
  EndedShares1764000000024,
  HostsOfPartners1764000000025,
  ContentGates1764000000029,
  SavedLinks1764000000030,
  EndsOfReshares1764000000033,
  NodeCounts1764000000032,
  DoubtedShares1764000000038,
  LinksOfOthers1764000000036,
  LinksReadAsSuch1764000000037,
  UnfinishedUploads1764000000043,
  GatesOfReceivedShares1764000000039,
  TrashBin1764000000045,
  TrashBinChecks1764000000046,
  SchemaFunctions1764000000047,
  ShareEvents1764000000048,
  BackgroundMoves1764000000057,
  BrowserSessions1764000000058,
  FileVersions1764000000051,
  Locks1764000000053,
  Avatars1764000000064,
  AppPasswords1764000000067,
  Quarantine1764000000063,
  LoginFlows1764000000068,
  ContentChanges1764000000097,
  UseOfReceivedShares1764000000098,
  FirstReads1764000000099,
  PrivateValues1764000000087,
  EndsOfAccounts1764000000083,
  ExternalIdentities1764000000070,
  SecondFactors1764000000075,
  Scim1764000000084,
  DirectorySyncs1764000000085,
  SignInsAtIssuers1764000000071,
  OperationSamples1764000000090,
  TrashedDemands1764000000115,
  Passkeys1764000000116,
  NotesOfShares1764000000110,
  BlockedOffers1764000000111,
  LifeOfShares1764000000125,
  FederatedGroups1764000000126,
  BackupTimes1764000000135,
  StoredWrites1764000000150,
  NotesOfOffers1764000000160,
  DirectoryServices1764000000161,
  PartnerRenames1764000000180,
  GivenUpWrites1764000000181,
  CachedContents1764000000190,
  SentShareRequests1764000000191,
  SharesWithRemoteGroups1764000000192,
  AddressBooks1764000000200,
  MailLookups1764000000220,
  Webapps1764000000210,
  EarlierVacuums1764000000221,
  PushNews1764000000222,
  SettledMemberships1764000000223,
  StoragesOfOwner1764000000224,
  LaterDemands1764000000225,
  ExpiredGroupRecipients1764000000226,
  TrustedAndRenamedPeers1764000000227,
  EndsOfScimClients1764000000228,
  EndsOfSources1764000000229,
  RevisionsOfScimResources1764000000230,
  ObjectsOfNotificationMails1764000000232,
  AuditLogInAnyLetterCase1764000000240,
  UnfinishedCopies1764000000241,
  MembershipsOfGroupRecipients1764000000242,
  SharesThatWerePassedOn1764000000243,
  FavoritesOfUsers1764000000244,
];

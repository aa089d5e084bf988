export {
  PartnerMessenger,
  type AttemptEvidence,
  type DeliveryReport,
  type SendOptions,
} from './delivery/partner-messenger';
export {
  DiscoveryClient,
  type DiscoveryOptions,
  type DiscoveryReport,
  type DiscoveryStep,
  type PartnerPlace,
} from './discovery/discovery-client';
export { EgressFailed } from './egress/egress-failed';
export type { EgressRules } from './egress/egress-rules';
export {
  DEFAULT_LIMITS,
  GuardedClient,
  type AnswerHeaders,
  type EgressLimits,
  type EgressRequest,
  type ExchangeAnswer,
  type GuardedClientOptions,
  type StreamAnswer,
} from './egress/guarded-client';
export type { ResolvedAddress, Resolver } from './egress/guarded-connector';
export { PartnerFiles } from './files/partner-files';
export { partnerFilesOn, type PartnerFilesParts } from './files/partner-files-on';
export { FederationClientModule } from './federation-client.module';
export { SignedCalls } from './messages/signed-calls';
export { PartnerTrustCalls, type AcceptanceCall } from './trust/partner-trust-calls';
export { PeerProfiles, type ProfileFound } from './peers/peer-profiles';
export { readProfile } from './peers/stored-profile';

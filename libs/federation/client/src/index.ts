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
export { FederationClientModule } from './federation-client.module';

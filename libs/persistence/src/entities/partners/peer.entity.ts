import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { ExactText } from '../columns';

/** Trust of the operator in a partner. */
export type Trust = 'unknown' | 'allowed' | 'denied' | 'invited' | 'trusted';

/** Demand on the signatures of a partner's messages. */
export type DemandedSignatures = 'known' | 'required' | 'checked';

/** Another instance, known by its address. */
@Entity('peer')
@Check('peer_concurrency_check', 'concurrency BETWEEN 1 AND 1000')
@Check('peer_host_key_check', 'octet_length(host_key) BETWEEN 1 AND 512')
@Check(
  'peer_outgoing_trust_check',
  `outgoing_trust IN ('unknown', 'allowed', 'denied', 'invited', 'trusted')`,
)
@Check('peer_rate_burst_check', 'rate_burst >= 1')
@Check('peer_rate_per_second_check', 'rate_per_second > (0)::double precision')
@Check('peer_sign_by_check', `sign_by IN ('cavage', 'rfc9421', 'none')`)
@Check('peer_signatures_check', `signatures IN ('known', 'required', 'checked')`)
@Check('peer_trust_check', `trust IN ('unknown', 'allowed', 'denied', 'invited', 'trusted')`)
export class PeerEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** Canonical host, with port and folder where they are not the usual ones. */
  @ExactText({ unique: true })
  hostKey!: string;

  /** Result of discovery. */
  @Column('jsonb', { nullable: true })
  profile!: unknown;

  /** Dialects that an operator chose; wins over discovery. */
  @Column('jsonb', { nullable: true })
  pinnedProfile!: object | null;

  /** Time of the last successful discovery. */
  @Column('timestamptz', { nullable: true })
  discoveredAt!: Date | null;

  /** Time at which `profile` is read again. */
  @Column('timestamptz', { nullable: true })
  profileExpiresAt!: Date | null;

  /** Time before which discovery is not tried again. */
  @Column('timestamptz', { nullable: true })
  discoveryFailedUntil!: Date | null;

  /** Reason of the last failed discovery. */
  @Column('text', { nullable: true })
  discoveryError!: string | null;

  /** Trust of the operator in offers from this partner. */
  @ExactText({ default: 'unknown' })
  trust!: Trust;

  /** Whether deliveries to this partner are held back. */
  @Column('boolean', { default: false })
  paused!: boolean;

  /** Deliveries to this partner at the same time. */
  @Column('smallint', { default: 2 })
  concurrency!: number;

  /** Deliveries per second. */
  @Column('real', { default: 5 })
  ratePerSecond!: number;

  /** Deliveries that may start at once after a pause. */
  @Column('integer', { default: 10 })
  rateBurst!: number;

  /** State of the circuit breaker of deliveries and of their rate limit. */
  @Column('jsonb', {
    default: () => `'{"bucket": null, "breaker": {"recent": [], "openings": 0, "openUntilMs": null}}'`,
  })
  gate!: unknown;

  /** Time before which no delivery is claimed; NULL: now. */
  @Column('timestamptz', { nullable: true })
  parkedUntil!: Date | null;

  /** Partner that this host was renamed to. */
  @Column('bigint', { nullable: true })
  aliasOf!: number | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Time before which no probe is sent to a server that gave no answer. */
  @Column('timestamptz', { nullable: true })
  looksAfter!: Date | null;

  /** Trust in what is sent to this partner; NULL: as `trust`. */
  @ExactText({ nullable: true })
  outgoingTrust!: Trust | null;

  /** Demand of signatures from this partner; NULL: the default of the instance. */
  @ExactText({ nullable: true })
  signatures!: DemandedSignatures | null;

  /** Signature scheme of messages to this partner; NULL: as discovery shows. */
  @ExactText({ nullable: true })
  signBy!: string | null;

  /** Whether signatures of this partner that cannot be read count as none. */
  @Column('boolean', { default: false })
  ignoresUnreadableSignatures!: boolean;

  /** Row of the host, whose trust, limits and gates count for all addresses there; its own for the host itself. */
  @Index('peer_by_host')
  @Column('bigint')
  hostId!: number;

  /** Requests for files of this partner in a row that got no answer. */
  @Column('integer', { default: 0 })
  contentFailures!: number;

  /** Time of the last of them. */
  @Column('timestamptz', { nullable: true })
  contentFailedAt!: Date | null;

  /** Time before which its files are not asked for; NULL: they answer. */
  @Column('timestamptz', { nullable: true })
  contentShutUntil!: Date | null;

  @ManyToOne(() => PeerEntity, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'alias_of' })
  aliasOfRow?: PeerEntity | null;

  @ManyToOne(() => PeerEntity)
  @JoinColumn({ name: 'host_id' })
  host?: PeerEntity;
}

import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { ExactText } from '../columns';

/** Trust of the operator in a partner. */
export type Trust = 'unknown' | 'allowed' | 'denied' | 'invited' | 'trusted';

/** Demand on the signatures of a partner's messages. */
export type DemandedSignatures = 'known' | 'required' | 'checked';

/** Another instance, known by its address. */
@Entity('peer')
@Index('peer_renamed', ['aliasOfRow'], { where: 'alias_of IS NOT NULL' })
@Index('peer_trusted', ['id'], { where: `trust = 'trusted'` })
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

  /** Canonical host, with port and path if they are not the usual ones. */
  @ExactText({ unique: true })
  hostKey!: string;

  /** Result of discovery. */
  @Column('jsonb', { nullable: true })
  profile!: unknown;

  /** Dialects that an operator chose; they replace those of discovery. */
  @Column('jsonb', { nullable: true })
  pinnedProfile!: object | null;

  /** Time of the last successful discovery. */
  @Column('timestamptz', { nullable: true })
  discoveredAt!: Date | null;

  /** Time at which `profile` expires. */
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

  /** Whether an operator stopped deliveries to this partner. */
  @Column('boolean', { default: false })
  paused!: boolean;

  /** Maximum number of simultaneous deliveries to this partner. */
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

  /** Partner to which this host was renamed. */
  @Column('bigint', { nullable: true })
  aliasOf!: number | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Time before which no probe is sent to a server that gave no answer. */
  @Column('timestamptz', { nullable: true })
  looksAfter!: Date | null;

  /** Trust for shares with this partner; NULL: as `trust`. */
  @ExactText({ nullable: true })
  outgoingTrust!: Trust | null;

  /** Demand on signatures of this partner; NULL: the default of the instance. */
  @ExactText({ nullable: true })
  signatures!: DemandedSignatures | null;

  /** Signature scheme of messages to this partner; NULL: as discovery shows. */
  @ExactText({ nullable: true })
  signBy!: string | null;

  /** Whether signatures of this partner that cannot be read are ignored. */
  @Column('boolean', { default: false })
  ignoresUnreadableSignatures!: boolean;

  /** Row of the host, whose trust, limits and gates apply to all addresses there; the host's row refers to itself. */
  @Index('peer_by_host')
  @Column('bigint')
  hostId!: number;

  /** Number of requests for files in a row without an answer from this partner. */
  @Column('integer', { default: 0 })
  contentFailures!: number;

  /** Time of the last failed request. */
  @Column('timestamptz', { nullable: true })
  contentFailedAt!: Date | null;

  /** Time before which its files are not requested; NULL: they answer. */
  @Column('timestamptz', { nullable: true })
  contentShutUntil!: Date | null;

  @ManyToOne(() => PeerEntity, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'alias_of' })
  aliasOfRow?: PeerEntity | null;

  @ManyToOne(() => PeerEntity)
  @JoinColumn({ name: 'host_id' })
  host?: PeerEntity;
}

import { ocs } from './ocs';

/** A step in the life of a share. */
export interface Step {
  /** Unix seconds. */
  readonly at: number;
  readonly event: string;
  readonly actor_type: 'user' | 'partner' | 'operator' | 'system';
  readonly actor: string | null;
  readonly details: {
    readonly message?: string;
    readonly reason?: string;
    /** Unix seconds. */
    readonly next_attempt?: number;
  };
}

/** Steps of a share, the oldest first. */
export const readTimeline = (shareId: string): Promise<Step[]> =>
  ocs('GET', `apps/files_sharing/api/v1/share_timelines/${encodeURIComponent(shareId)}`);

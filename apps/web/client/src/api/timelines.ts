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

/** A step of one of the shares of the account. */
export interface Activity extends Step {
  readonly id: number;
  readonly share: string;
  readonly share_with: string | null;
  /** Name of the file or folder; null if it is gone. */
  readonly name: string | null;
}
export const ACTIVITY_PAGE = 50;

/** The latest first. @param before id of the last known step; empty for the first page */
export const readActivity = (before: string): Promise<Activity[]> =>
  ocs('GET', 'apps/files_sharing/api/v1/share_timelines', before === '' ? {} : { before });

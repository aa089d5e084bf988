import manifest from './manifest.json';

/** Use of the recorded exchanges of one group. */
export interface GroupManifest {
  /** In the order in which they were recorded, which is the order in which they are replayed. */
  readonly compared: readonly string[];
  /** Names by the reason for which they are not compared. */
  readonly exempt: Readonly<Record<string, readonly string[]>>;
}

/** Every recorded exchange that was copied, by group: a file that is missing here fails the manifest's spec. */
export const MANIFEST: Readonly<Record<string, GroupManifest>> = manifest;

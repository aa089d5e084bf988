import manifest from './manifest.json';

/** Use of the recorded exchanges of one group. */
export interface GroupManifest {
  /** In the order of recording, which is also the order of replay. */
  readonly compared: readonly string[];
  /** Names of recordings that are not compared, by reason. */
  readonly exempt: Readonly<Record<string, readonly string[]>>;
}

/** Every recorded exchange that was copied, by group: a file that is missing here fails the manifest's spec. */
export const MANIFEST: Readonly<Record<string, GroupManifest>> = manifest;

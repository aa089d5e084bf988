/** Viewers, by the kind of content. */
export type ViewerKind = 'image' | 'video' | 'audio' | 'pdf' | 'markdown' | 'text';

const KINDS: readonly (readonly [pattern: RegExp, kind: ViewerKind])[] = [
  [/^image\/(?:jpeg|png|gif|webp|avif|bmp|svg\+xml)$/, 'image'],
  [/^video\/(?:mp4|webm|ogg|quicktime)$/, 'video'],
  [/^audio\//, 'audio'],
  [/^application\/pdf$/, 'pdf'],
  [/^text\/markdown$/, 'markdown'],
  [/^(?:text\/|application\/(?:json|xml|javascript|x-sh|yaml)$)/, 'text'],
];

/** The viewer for a media type; undefined for content that can only be downloaded. */
export const viewerFor = (mediaType: string): ViewerKind | undefined =>
  KINDS.find(([pattern]) => pattern.test(mediaType))?.[1];

/** A message to the frame of a viewer. */
export interface ShownContent {
  readonly kind: ViewerKind;
  readonly name: string;
  readonly language: string;
  /** The content, or the address at which the frame reads it itself. */
  readonly content: Blob | string;
}

/** Larger contents are downloaded instead, because a viewer holds all of them in memory. */
export const MAX_VIEWED_BYTES = 200_000_000;

import { FOLDER_MIMETYPE, UNKNOWN_MIMETYPE } from '#sharing';

const BY_EXTENSION: Readonly<Record<string, string>> = {
  '7z': 'application/x-7z-compressed',
  avi: 'video/x-msvideo',
  avif: 'image/avif',
  bmp: 'image/bmp',
  bz2: 'application/x-bzip2',
  c: 'text/x-c',
  conf: 'text/plain',
  cpp: 'text/x-c++src',
  css: 'text/css',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  eml: 'message/rfc822',
  epub: 'application/epub+zip',
  flac: 'audio/flac',
  gif: 'image/gif',
  gz: 'application/gzip',
  h: 'text/x-h',
  heic: 'image/heic',
  htm: 'text/html',
  html: 'text/html',
  ico: 'image/x-icon',
  ics: 'text/calendar',
  java: 'text/x-java-source',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'application/javascript',
  json: 'application/json',
  log: 'text/plain',
  m4a: 'audio/mp4',
  markdown: 'text/markdown',
  md: 'text/markdown',
  mkv: 'video/x-matroska',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  mpeg: 'video/mpeg',
  mpg: 'video/mpeg',
  odg: 'application/vnd.oasis.opendocument.graphics',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  ogv: 'video/ogg',
  pdf: 'application/pdf',
  php: 'application/x-php',
  png: 'image/png',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ps: 'application/postscript',
  py: 'text/x-python',
  rar: 'application/x-rar-compressed',
  rtf: 'text/rtf',
  sh: 'text/x-shellscript',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tgz: 'application/gzip',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  txt: 'text/plain',
  vcf: 'text/vcard',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

const TYPES = new Map(Object.entries(BY_EXTENSION));

/** The media type of an entry with this name. */
export function mimetypeFor(kind: 'file' | 'folder', name: string): string {
  return kind === 'folder' ? FOLDER_MIMETYPE : mimetypeOf(name);
}

/** The media type for a file's name; the content is not checked. */
export function mimetypeOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return (dot >= 0 && TYPES.get(name.slice(dot + 1).toLowerCase())) || UNKNOWN_MIMETYPE;
}

/** Media type of a folder in listings. */
export const FOLDER_MIMETYPE = 'httpd/unix-directory';
/** Media type of a file whose type is unknown. */
export const UNKNOWN_MIMETYPE = 'application/octet-stream';

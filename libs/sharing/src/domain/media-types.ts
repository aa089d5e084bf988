/** Media type of a folder in listings. */
export const FOLDER_MIMETYPE = 'httpd/unix-directory';
/** Media type of a file of which nothing is known. */
export const UNKNOWN_MIMETYPE = 'application/octet-stream';

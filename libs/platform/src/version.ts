/** This product's own version; package.json has the same, and a test compares them. */
export const PRODUCT_VERSION = '0.1.0';
export const PRODUCT_NAME = 'Drawbridge';

/**
 * The server version that clients of this API family check before they use a feature. `status.php` and
 * capabilities report it, because deployed clients refuse servers with a `version` below 10.
 */
export const PROTOCOL_VERSION = '10.15.0';

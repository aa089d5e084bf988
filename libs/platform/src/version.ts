/** This product's own version; package.json carries the same, and a test compares them. */
export const PRODUCT_VERSION = '0.1.0';
export const PRODUCT_NAME = 'Drawbridge';

/**
 * The server generation that clients of this API family look for before they use a feature: `status.php` and
 * capabilities report it, since deployed clients refuse servers whose `version` is below 10.
 */
export const PROTOCOL_VERSION = '10.15.0';

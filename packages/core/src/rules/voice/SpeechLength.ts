/** How long speech can be. */

/** Most speech for one text, in milliseconds: half a second for each character, and for breathing. What is longer is a fault of the voice. */
export const mostSpeech = (text: string): number => 10_000 + 500 * text.length

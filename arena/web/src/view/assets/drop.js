// A record that is dropped on a page of `arena serve`. The page at /record sends it to the arena and shows the match.

const RECORD_BYTES_MAX = 4 * 1024 * 1024;

// Takes records that are dropped on this page, if its server shows them.
export function takeRecords() {
  if (location.protocol === 'file:' || !('records' in document.documentElement.dataset)) return;
  addEventListener('dragover', (event) => {
    if (event.dataTransfer.types.includes('Files')) event.preventDefault();
  });
  addEventListener('drop', async (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault(); // the browser would open the file
    // The next page has the text, and after a reload too.
    sessionStorage.removeItem('record');
    if (file.size <= RECORD_BYTES_MAX) sessionStorage.setItem('record', await file.text());
    location.assign('/record');
  });
}

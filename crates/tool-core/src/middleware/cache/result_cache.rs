//! Giving the result of an equal call again.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, mem};

use async_trait::async_trait;

use super::key::Key;
use super::store::{Answer, Bounds, Place, Store};
use crate::middleware::{Call, Middleware, Next};
use crate::{ToolContext, ToolError, ToolOutput, clock};

type ScopeOf = dyn Fn(&ToolContext) -> String + Send + Sync;

/// Gives the result of an equal call again, for calls that only read.
///
/// Calls are equal when the tool, the arguments as canonical JSON, and the [extensions](crate::Extensions) are the
/// same: those of the registry for all calls, or one value that several calls share. So nobody gets what was read for
/// somebody else; [`ResultCache::scoped`] says otherwise. Equal calls at the same time run once. Only successes are
/// kept, with their files, warnings and metadata, to which `cached: true` is added; such a call counts no attempt.
///
/// Any call that may change something empties the cache, before it runs and after, however it ends. What changes
/// without a call is seen when a result is too old, or after [`ResultCache::clear`]. Clones are one cache.
///
/// Without other bounds, 1,000 results of 16 MB in all are kept, each for 5 minutes.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::Registry;
/// use tool_core::middleware::ResultCache;
///
/// let cache = ResultCache::new().entries(200).age(Duration::from_secs(30)).except("current_time");
/// let registry = Registry::builder().middleware(cache.clone()).build();
/// cache.clear();
/// assert!(registry.list().is_empty());
/// ```
#[derive(Clone)]
pub struct ResultCache {
    bounds: Bounds,
    except: BTreeSet<String>,
    scope_of: Option<Arc<ScopeOf>>,
    store: Arc<Mutex<Store>>,
}

impl Default for ResultCache {
    fn default() -> Self {
        Self::new()
    }
}

impl ResultCache {
    /// Creates an empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bounds: Bounds {
                entries: 1000,
                bytes: 16 * 1024 * 1024,
                age: Duration::from_mins(5),
            },
            except: BTreeSet::new(),
            scope_of: None,
            store: Arc::default(),
        }
    }

    /// Keeps at most so many results; the one that was not used for the longest time goes first.
    #[must_use]
    pub fn entries(mut self, entries: usize) -> Self {
        self.bounds.entries = entries;
        self
    }

    /// Keeps at most so many bytes of arguments and results, measured as JSON.
    #[must_use]
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.bounds.bytes = bytes;
        self
    }

    /// Gives no result again that is as old as this.
    #[must_use]
    pub fn age(mut self, age: Duration) -> Self {
        self.bounds.age = age;
        self
    }

    /// Leaves one tool out, such as one that tells the time.
    #[must_use]
    pub fn except(mut self, tool: impl Into<String>) -> Self {
        self.except.insert(tool.into());
        self
    }

    /// Says for whom a call is, in place of its extensions: results go to calls with the same text.
    #[must_use]
    pub fn scoped(
        mut self,
        scope_of: impl Fn(&ToolContext) -> String + Send + Sync + 'static,
    ) -> Self {
        self.scope_of = Some(Arc::new(scope_of));
        self
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.store().clear();
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        let scope = self.scope_of.as_ref().map(|of| of(call.context()));
        let (key, pin) = Key::of(call, scope);
        if key.size() > self.bounds.bytes {
            return next.run(call).await;
        }
        let key = Arc::new(key);
        let place = self.store().place(&key, pin, clock::now(), self.bounds);
        let mut ran = false;
        let filled = place
            .get_or_try_init(|| {
                ran = true;
                run(call, next)
            })
            .await
            .map(|answer| answer.output.clone());
        match filled {
            Ok(output) if ran => {
                self.keep(&key, &place, &output);
                Ok(output)
            }
            Ok(mut output) => {
                output.metadata.insert("cached".to_owned(), true.into());
                Ok(output)
            }
            Err(error) => {
                self.store().failed(&key, &place);
                Err(error)
            }
        }
    }

    fn keep(&self, key: &Arc<Key>, place: &Place, output: &ToolOutput) {
        let bytes = size(output);
        self.store().answered(key, place, bytes, self.bounds);
    }
}

/// Runs the tool; what it said beside its output is kept with it.
async fn run(call: Call<'_>, next: Next<'_>) -> Result<Answer, ToolError> {
    let _before = SaidBefore::of(call.context());
    let mut output = next.run(call).await?;
    call.context().say_in(&mut output);
    Ok(Answer {
        output,
        given_at: clock::now(),
    })
}

/// What was said outside of the cache: it belongs to this call alone, and is said again when the tool has spoken.
struct SaidBefore<'c> {
    cx: &'c ToolContext,
    said: ToolOutput,
}

impl<'c> SaidBefore<'c> {
    fn of(cx: &'c ToolContext) -> Self {
        let mut said = ToolOutput::default();
        cx.say_in(&mut said);
        Self { cx, said }
    }
}

impl Drop for SaidBefore<'_> {
    fn drop(&mut self) {
        let (cx, said) = (self.cx, mem::take(&mut self.said));
        let files = said.files_affected.into_iter();
        said.warnings.into_iter().for_each(|text| cx.warn(text));
        files.for_each(|path| cx.affected(path));
        for (key, value) in said.metadata {
            cx.note(key, value);
        }
        said.content.into_iter().for_each(|block| cx.attach(block));
    }
}

/// The bytes of an output as JSON, which are counted and not written.
fn size(output: &ToolOutput) -> usize {
    struct Counter(usize);
    impl Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    // What cannot be measured is not kept.
    match serde_json::to_writer(&mut counter, output) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX,
    }
}

/// Empties the cache when the call that may change something is over, even when it was dropped.
struct ClearedAfter<'c>(&'c ResultCache);

impl Drop for ClearedAfter<'_> {
    fn drop(&mut self) {
        self.0.clear();
    }
}

#[async_trait]
impl Middleware for ResultCache {
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        if !call.only_reads() {
            self.clear();
            let _cleared = ClearedAfter(self);
            return next.run(call).await;
        }
        let cx = call.context();
        if self.except.contains(cx.tool_name()) || self.except.contains(cx.registered_name()) {
            return next.run(call).await;
        }
        self.answer(call, next).await
    }
}

impl fmt::Debug for ResultCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultCache")
            .field("bounds", &self.bounds)
            .finish_non_exhaustive()
    }
}

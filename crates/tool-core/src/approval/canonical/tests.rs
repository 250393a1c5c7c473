mod canonical {
    use serde_json::json;

    use super::super::*;

    #[test]
    fn canonical_json_sorts_its_keys() {
        assert_eq!(
            canonical_json(&json!({"b": [1, {"d": null, "c": "x"}], "a": 1.5})),
            r#"{"a":1.5,"b":[1,{"c":"x","d":null}]}"#
        );
    }
}

mod digest {
    use super::super::*;

    #[test]
    fn boundaries_of_parts_count() {
        assert_ne!(sha256_of_parts(&["ab", "c"]), sha256_of_parts(&["a", "bc"]));
    }

    #[test]
    fn digest_matches_test_vector() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

        assert_eq!(sha256(b"abc"), expected);
    }
}
